<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
<context>
    <name>Actions</name>
    <message>
        <source>File</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Edit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>View</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Session</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Branch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Context</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Help</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Connect a model…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Import sessions…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Import files…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Import a folder…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open the demo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export session…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Quit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undo leaf move</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Redo leaf move</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy entry</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy link to entry</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search or run a command</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Filter sessions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find in session</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Settings…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sessions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Branches</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Transcript</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Group sessions by folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Group sessions by source</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Group sessions by date</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Group sessions by tag</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show archived sessions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the trash</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Larger text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Smaller text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Normal text size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Light or dark</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Star</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rename…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tags…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Archive</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Move to trash</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete for good…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy link to session</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Previous session</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next session</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write a message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Send or queue</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Send now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Continue the reply</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Retry</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Attach files…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a model…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose how much it thinks…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Answer the tool that asks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Continue from here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fork to new session</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Label…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pin or unpin</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go to leaf</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Previous sibling</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next sibling</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Regenerate the reply</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compare with active branch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compact…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Summarise from here…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Summarise up to here…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compact from here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Prune tool output</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Accept compaction</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Leave the preview</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the next request</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the selected entry</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>About Stemmata</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Banner</name>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Something went wrong inside Stemmata ({0}). Your sessions are untouched; the log has the details.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Branches</name>
    <message>
        <source>Turns</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Prompts only</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No tools</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Labelled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Everything</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>(not in the archive any more)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Left branch: {0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Left branch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>streaming</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%Ln tools</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>summary</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>labelled {0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} of {1}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>pinned</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%Ln rows folded</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>current leaf</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>on active path</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>on another branch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Assistant</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tool</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compaction</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Branch summary</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Setting</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Note</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compacted to ≈{0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compacted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compacted {0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compacted {0} → ≈{1}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} (failed)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>(no text)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} (stopped)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Model: {0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Thinking: {0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Named “{0}”</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Label “{0}”</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Label taken away</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Unpinned</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pinned</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tool output pruned</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Continue from here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fork to new session</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Label…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pin (never compacted away)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compare with active branch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Summarise from here…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Summarise up to here…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show context here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Unpin all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pin all (never compacted away)</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Copy %Ln turns</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Compare these two</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>BranchesController</name>
    <message>
        <source>Only the active branch can be compacted. Continue from there first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Something has to be kept: choose an entry above the last one.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>BranchesList</name>
    <message>
        <source>Branches</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>BranchesView</name>
    <message>
        <source>Branches</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fold</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Unfold</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show all branches</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the active path alone</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>BreakdownSection</name>
    <message>
        <source>Free before auto-compact</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>System and tools</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next request</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} of {1}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The window of this model is not known.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No reply reported its size here: messages only, estimated.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Estimates scaled × {0} to meet what the provider reported.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Card</name>
    <message>
        <source>Assistant</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ended in an error: {reason}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ended in an error</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stopped before its end</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} in</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} out</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{percent}% cached</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reported by the provider</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Input {count}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cache read {count}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cache written {count}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Output {count}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cost ${cost}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show that branch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Summary of the branch that was left</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compacted {before} → {after}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compacted {before}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compacted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>−{percent} %</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>kept {count}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Edit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Edit this summary</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go back to before this</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show less</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the whole summary</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>what was summarised (%Ln entries)</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>what was summarised</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tool result</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You ran</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compaction</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Branch summary</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Note</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pinned: never compacted away</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Previous version</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next version</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pin: never compact this away</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy as Markdown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fork</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fork to a new session from here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Say it differently</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>summarised</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>kept</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>pinned · kept word for word</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Show %Ln more calls</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Read %Ln files</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>modified %Ln</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln open tasks</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>… %Ln more lines</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Sent with the next request</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Summarised by ◆</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pruned: only the tool’s name is sent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pinned: sent word for word</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Never sent: bookkeeping</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Never sent: hidden from the model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Never sent: stopped, or ended in an error</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Never sent: empty</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Never sent: excluded</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Never sent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Model: {model}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Thinking: {level}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tool outputs above are left out of the context</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>System</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show all ({size} kB)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Thought, hidden by the provider</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Thought</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Image: {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not sent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>exit {code}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reply that is being written</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Thinking…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} characters</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>tool</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>More</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy this code</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Arguments</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Result</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no result</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>error</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>image</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%Ln lines</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>{count} tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Unknown entry: {kind}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Unknown entry</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>CommandPalette</name>
    <message>
        <source>Search or run a command</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing found.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Results</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>CompactPreview</name>
    <message>
        <source>Compact preview</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Summarise</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Prune tool output first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compact…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Prune only</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a session to see what a compaction would do.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%Ln entries</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Before</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>After</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>CompactionController</name>
    <message>
        <source>There is nothing to compact: the context is empty.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>digest · {0} tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing is deleted. Undo brings the whole context back.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Saved as a new summary beside the old one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compacted {0} → {1}. The whole branch is kept.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Left %Ln tool results out of the context: ≈ {0} → {1}. The outputs are kept.</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Undo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a session to see what a compaction would do.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Compare</name>
    <message numerus="yes">
        <source>Long texts are compared by their beginning; %Ln characters are left out.</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>… and %Ln more</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Neither branch touched a file.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>both</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>both, only read in {0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} only</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Show %Ln more entries</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Show all of this turn</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} min</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} h {1} min</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} h</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%Ln tools</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Turns</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tool calls</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Failed commands</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cost</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Time</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>CompareController</name>
    <message>
        <source>This is on the active branch. Choose an entry of another one to compare with.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>main</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>branch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Continuing from the other branch. Nothing was lost.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copied the prompt as a new entry; the next reply answers it there.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>CompareList</name>
    <message>
        <source>Turns of two branches</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>CompareView</name>
    <message>
        <source>Compare</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Leave the comparison</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>from “{0}”</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>from the start</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What is compared</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Prompts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Replies</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tools</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0}: no turn here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0}, turn {1}: {2}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Composer</name>
    <message>
        <source>Message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Message…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Connect a model to send. Drafts are kept.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Send</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This version cannot send messages yet.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Context</name>
    <message>
        <source>System prompt</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tool definitions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Summaries</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>User</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Assistant</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Thinking</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tool calls</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tool results</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Images</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%Ln entries</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ContextChart</name>
    <message>
        <source>Context over time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>window</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>auto-compact</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} · {1} of {2}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compacted {0} → {1}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pruned {0} → {1}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Messages only, estimated</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>mostly {0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>compacted %Ln times</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>never compacted</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Size of the context over %Ln entries, at most {0}, {1}.</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>System and tools</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} of {1} · {2}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Entry {0} of {1}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ContextColumn</name>
    <message>
        <source>Context</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Thinking</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reserve</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next request</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>At the selected entry</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Selected entry</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Which context is shown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Request</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ContextController</name>
    <message>
        <source>Summary</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Assistant</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tool</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Note</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ContextRing</name>
    <message>
        <source>Next request: {0}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>CutLine</name>
    <message>
        <source>Drag, or press ↑ and ↓, to keep more or less</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>DeletionController</name>
    <message>
        <source>Delete for good</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What is deleted here leaves the archive with its source records; this cannot be undone. The files of the tools it came from are not touched, and forks keep what they share.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Delete “{0}” with its %Ln entries?</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln sessions</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Delete for good: {0}, {1}?</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%Ln entries</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Deleted %Ln sessions for good.</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
</context>
<context>
    <name>DensityButton</name>
    <message>
        <source>How much is shown</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>DifferencePanel</name>
    <message>
        <source>Files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Difference</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Continue from the left</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Continue from the right</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This branch is active already.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy this turn to {0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no prompt here to copy.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>DiscoveredTable</name>
    <message>
        <source>Looking for sessions on this machine…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No sessions of a known tool were found in their usual folders. Choose files instead.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Source</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Found</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Size</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%Ln sessions</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ExportController</name>
    <message>
        <source>Export session</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Exported to {0}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Copied %Ln turns as Markdown.</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>You</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Assistant</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compaction</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Branch summary</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Note</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ImportController</name>
    <message>
        <source>The demo session is missing from this installation.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Import files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Import a folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Report</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ImportDialog</name>
    <message>
        <source>Import sessions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Import progress</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>File {0} of {1}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Listing files…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%Ln sessions</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Import {0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Found on this machine</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sources are only read, never changed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose files…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a folder…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Importing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Each file is imported whole or not at all. You can go on working meanwhile.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Import more…</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ImportReport</name>
    <message numerus="yes">
        <source>%Ln sessions</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln new entries</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln unchanged files</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln files left out</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Cancelled. What was imported until then is kept whole: {0}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Left out: {0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%Ln entries</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln new</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln branches</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Mended: {0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Line {0} could not be read and is kept raw: {1}</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>… and %Ln more</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
</context>
<context>
    <name>JumpButton</name>
    <message>
        <source>Go to the end</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>KeepSlider</name>
    <message>
        <source>Keep the last, in hundreds of tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep the last</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>LargestSection</name>
    <message>
        <source>Largest in context</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>LeafController</name>
    <message>
        <source>Before the compaction again. It stays in the tree, with what followed it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pinned: no compaction will summarise it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No longer pinned.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Pinned %Ln turns: no compaction will summarise them.</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Unpinned %Ln turns.</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Label (empty removes it)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Label</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Forked to a new session. It shares what came before; nothing was copied.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>LeaveController</name>
    <message numerus="yes">
        <source>You leave %Ln messages of the active branch. They stay in the tree.</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Only the active branch can be summarised. Continue from there first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>A summary takes the place of %Ln messages. They stay in the tree, as a branch of their own.</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Summarised. The branch is kept beside its summary.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undo</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>LeavePopup</name>
    <message>
        <source>Just go</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Summarise the branch I leave</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Summarise with focus…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What should the summary keep most of?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Do the same without asking until Stemmata is closed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Summarise</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>LinkController</name>
    <message numerus="yes">
        <source>Copied %Ln links.</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
</context>
<context>
    <name>MessageEditor</name>
    <message>
        <source>Message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Message…   / for commands</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Minimap</name>
    <message>
        <source>Overview of the session</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Number</name>
    <message>
        <source>not set</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>OverTimeSection</name>
    <message>
        <source>Over time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fold the chart away</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Unfold the chart</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ReportView</name>
    <message>
        <source>Import report</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>…</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SearchController</name>
    <message>
        <source>In this session</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sessions</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Everywhere · %Ln hits</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Actions</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SearchLine</name>
    <message>
        <source>Search in these branches</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>none</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} of {1}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SessionController</name>
    <message>
        <source>This link is not opened: {0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open in browser</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>active</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>looking</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SessionListController</name>
    <message>
        <source>Trash</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sessions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Archived {0}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} is back from the archive.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Moved {0} to the trash.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Took {0} out of the trash.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name of the session</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rename</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%Ln sessions</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Undo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Unstar</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Star</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Take out of the trash</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Move to trash</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Take out of the archive</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Archive</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Sessions</name>
    <message>
        <source>Untitled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>just now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} min ago</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} h ago</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>yesterday</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} d ago</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%Ln branches</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>archived</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Without tags</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Without a date</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Last 24 hours</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Last 7 days</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Last 30 days</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SessionsView</name>
    <message>
        <source>Sessions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>+ Import</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Filter sessions</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%Ln sessions</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Filter {0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No session matches. Press Esc to see all of them.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No sessions yet. Import some, or drop files anywhere in this window.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SettingField</name>
    <message>
        <source>changed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Back to the default: {0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Default: {0}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Settings</name>
    <message>
        <source>not set</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Window</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Theme</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Colours of the window.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>System</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Light</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Dark</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>High contrast</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Font scale</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Size of all text, in percent.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Language</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Language of the window; a change counts from the next start on.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>English</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Deutsch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compaction</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Enabled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Whether to compact by itself when a context grows beyond its trigger.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Threshold percent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The trigger, in percent of the model&apos;s window.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reserve tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tokens kept free for the reply. The trigger is never nearer to the window&apos;s end than this.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep recent tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tokens at the end that a compaction leaves word for word.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep recent messages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Messages at the end that a compaction leaves word for word; replaces keep_recent_tokens when set.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tool prune threshold</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Prune tool results once they exceed this many tokens.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tool keep threshold</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tokens of the newest tool results that pruning leaves.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tool policy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What pruning may do with tool results: decide by tool, keep all, keep none.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Auto</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep none</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Summariser</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Who writes summaries: a model, or the digest.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Digest</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Strategy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Where a summary goes: under the current leaf, or at the head of a new session.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In place</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New session</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Retry on overflow</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>When a provider refuses a request as too long: compact and retry once.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Notify</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Whether to show a notice after a compaction.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Resume token budget</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A session that fills less than this percentage of the window is resumed whole, else by its summary.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SettingsDialog</name>
    <message>
        <source>Settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sections</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keyboard shortcuts…</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ShortcutField</name>
    <message>
        <source>Keys: {0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Back to the default</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} in Branches</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Shortcuts</name>
    <message>
        <source>Of the keys in the settings some are passed over: {0}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>there is no action “{0}”</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{0}” are no keys ({1})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{0}” alone would be typed ({1})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} has two actions, “{1}” goes without</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ShortcutsDialog</name>
    <message>
        <source>Keyboard shortcuts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Filter actions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use them here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{0}” alone would be typed: add Ctrl, Alt or Meta.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{0}” has {1} already.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>StackedBar</name>
    <message>
        <source>Free</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>StatusLine</name>
    <message numerus="yes">
        <source>%Ln sessions</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Auto-compact at {0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%Ln entries</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln branches</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln compactions</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>This session: {0}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SummaryDialog</name>
    <message>
        <source>Edit summary</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Summary</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The old summary stays in the tree, as a sibling.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>TagPopup</name>
    <message>
        <source>Add a tag</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tags</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>TimeController</name>
    <message>
        <source>Largest: {0}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Toast</name>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>TopBar</name>
    <message>
        <source>Light or dark</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search or run a command  {0}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>TranscriptColumn</name>
    <message>
        <source>Previous branch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next branch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find in session</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select a session to read it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>branch {0} of {1}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compaction preview · Esc to leave</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>TranscriptCut</name>
    <message>
        <source>⇕ everything above is summarised · {0} · ≈ {1}</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%Ln entries</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
</context>
<context>
    <name>TranscriptView</name>
    <message>
        <source>Transcript</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%Ln entries</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ViewController</name>
    <message>
        <source>Stemmata {0}

The session trees of your agents and model chats, in one local archive.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>About Stemmata</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>WelcomeView</name>
    <message>
        <source>Open the demo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Connect…</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%Ln sessions</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Import {0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your sessions, as the trees they are</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sources are only read, never changed; what you import is kept even if a tool deletes it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Or drop files anywhere in this window.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Importing again later adds only what is new.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose files…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Just look around</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A demo session with branches and a compaction.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Connect a model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not needed to browse, fork, search and compact with the digest. This version cannot send messages yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This version cannot send messages yet.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>WorkbenchPanel</name>
    <message>
        <source>Compact</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Prune tool output first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Focus on… (optional)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What the summary should keep in view</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Summary, may be edited</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>writing the digest…</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%Ln entries</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>{0} of {1}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Summariser</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Digest</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Provider</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No model is connected. The digest is made without one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Before</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>After</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Summary</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pinned</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Kept word for word</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Summarised</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>System and tools</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>_SideHead</name>
    <message>
        <source>active</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>abandoned</source>
        <translation type="unfinished"></translation>
    </message>
</context>
</TS>
