<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>Branches</name>
    <message numerus="yes">
        <source>%Ln tools</source>
        <translation>
            <numerusform>%Ln tool</numerusform>
            <numerusform>%Ln tools</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln rows folded</source>
        <translation>
            <numerusform>%Ln row folded</numerusform>
            <numerusform>%Ln rows folded</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Copy %Ln turns</source>
        <translation>
            <numerusform>Copy %Ln turn</numerusform>
            <numerusform>Copy %Ln turns</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>BranchesController</name>
    <message numerus="yes">
        <source>Pinned %Ln turns: compactions keep them.</source>
        <translation>
            <numerusform>Pinned %Ln turn: compactions keep it.</numerusform>
            <numerusform>Pinned %Ln turns: compactions keep them.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Unpinned %Ln turns.</source>
        <translation>
            <numerusform>Unpinned %Ln turn.</numerusform>
            <numerusform>Unpinned %Ln turns.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>You leave %Ln messages of the active branch. They stay in the tree as a branch of their own.</source>
        <translation>
            <numerusform>You leave %Ln message of the active branch. It stays in the tree as a branch of its own.</numerusform>
            <numerusform>You leave %Ln messages of the active branch. They stay in the tree as a branch of their own.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>CacheSection</name>
    <message numerus="yes">
        <source>Input of the last %Ln replies</source>
        <translation>
            <numerusform>Input of the last reply</numerusform>
            <numerusform>Input of the last %Ln replies</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Card</name>
    <message numerus="yes">
        <source>Show %Ln more calls</source>
        <translation>
            <numerusform>Show %Ln more call</numerusform>
            <numerusform>Show %Ln more calls</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Read %Ln files</source>
        <translation>
            <numerusform>Read %Ln file</numerusform>
            <numerusform>Read %Ln files</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>modified %Ln</source>
        <translation>
            <numerusform>modified %Ln</numerusform>
            <numerusform>modified %Ln</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln open tasks</source>
        <translation>
            <numerusform>%Ln open task</numerusform>
            <numerusform>%Ln open tasks</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The reply reached the limit of %Ln tokens</source>
        <translation>
            <numerusform>The reply reached the limit of %Ln token</numerusform>
            <numerusform>The reply reached the limit of %Ln tokens</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln entries kept</source>
        <translation>
            <numerusform>%Ln entry kept</numerusform>
            <numerusform>%Ln entries kept</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>… %Ln more lines</source>
        <translation>
            <numerusform>… %Ln more line</numerusform>
            <numerusform>… %Ln more lines</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln tool results above are pruned: later ones replace them</source>
        <translation>
            <numerusform>%Ln tool result above is pruned: a later one replaces it</numerusform>
            <numerusform>%Ln tool results above are pruned: later ones replace them</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Modified %Ln files</source>
        <translation>
            <numerusform>Modified %Ln file</numerusform>
            <numerusform>Modified %Ln files</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln characters</source>
        <translation>
            <numerusform>%Ln character</numerusform>
            <numerusform>%Ln characters</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln more files</source>
        <translation>
            <numerusform>%Ln more file</numerusform>
            <numerusform>%Ln more files</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln passed</source>
        <translation>
            <numerusform>%Ln passed</numerusform>
            <numerusform>%Ln passed</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln failed</source>
        <translation>
            <numerusform>%Ln failed</numerusform>
            <numerusform>%Ln failed</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln matches</source>
        <translation>
            <numerusform>%Ln match</numerusform>
            <numerusform>%Ln matches</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln files</source>
        <translation>
            <numerusform>%Ln file</numerusform>
            <numerusform>%Ln files</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln lines</source>
        <translation>
            <numerusform>%Ln line</numerusform>
            <numerusform>%Ln lines</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>show the %Ln summarised entries</source>
        <translation>
            <numerusform>show the %Ln summarised entry</numerusform>
            <numerusform>show the %Ln summarised entries</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln items</source>
        <comment>files and folders</comment>
        <translation>
            <numerusform>%Ln item</numerusform>
            <numerusform>%Ln items</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln more tasks</source>
        <translation>
            <numerusform>%Ln more task</numerusform>
            <numerusform>%Ln more tasks</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln tokens a second</source>
        <translation>
            <numerusform>%Ln token a second</numerusform>
            <numerusform>%Ln tokens a second</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>CleanUpNotice</name>
    <message numerus="yes">
        <source>%Ln sessions are not in the archive</source>
        <translation>
            <numerusform>%Ln session is not in the archive</numerusform>
            <numerusform>%Ln sessions are not in the archive</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>CompactPreview</name>
    <message numerus="yes">
        <source>%Ln entries</source>
        <translation>
            <numerusform>%Ln entry</numerusform>
            <numerusform>%Ln entries</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>CompactionSummary</name>
    <message numerus="yes">
        <source>%Ln tokens</source>
        <translation>
            <numerusform>%Ln token</numerusform>
            <numerusform>%Ln tokens</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Compare</name>
    <message numerus="yes">
        <source>Only the beginning of long texts is compared; %Ln characters are not.</source>
        <translation>
            <numerusform>Only the beginning of long texts is compared; %Ln character is not.</numerusform>
            <numerusform>Only the beginning of long texts is compared; %Ln characters are not.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>… and %Ln more</source>
        <translation>
            <numerusform>… and %Ln more</numerusform>
            <numerusform>… and %Ln more</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Show %Ln more entries</source>
        <translation>
            <numerusform>Show %Ln more entry</numerusform>
            <numerusform>Show %Ln more entries</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln tools</source>
        <translation>
            <numerusform>%Ln tool</numerusform>
            <numerusform>%Ln tools</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ComposerFoot</name>
    <message numerus="yes">
        <source>%Ln active skills</source>
        <translation>
            <numerusform>%Ln active skill</numerusform>
            <numerusform>%Ln active skills</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln queued</source>
        <translation>
            <numerusform>%Ln queued</numerusform>
            <numerusform>%Ln queued</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ConsentPopup</name>
    <message numerus="yes">
        <source>%Ln more waiting</source>
        <translation>
            <numerusform>%Ln more waiting</numerusform>
            <numerusform>%Ln more waiting</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Context</name>
    <message numerus="yes">
        <source>%Ln entries</source>
        <translation>
            <numerusform>%Ln entry</numerusform>
            <numerusform>%Ln entries</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ContextChart</name>
    <message numerus="yes">
        <source>compacted %Ln times</source>
        <translation>
            <numerusform>compacted once</numerusform>
            <numerusform>compacted %Ln times</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Size of the context over %Ln entries, at most {0}, {1}.</source>
        <translation>
            <numerusform>Size of the context over %Ln entry, at most {0}, {1}.</numerusform>
            <numerusform>Size of the context over %Ln entries, at most {0}, {1}.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ContextController</name>
    <message numerus="yes">
        <source>The provider counted %Ln tokens.</source>
        <translation>
            <numerusform>The provider counted %Ln token.</numerusform>
            <numerusform>The provider counted %Ln tokens.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>DiscoveredTable</name>
    <message numerus="yes">
        <source>%Ln files</source>
        <translation>
            <numerusform>%Ln file</numerusform>
            <numerusform>%Ln files</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>DraftController</name>
    <message numerus="yes">
        <source>A message can have at most %Ln attachments.</source>
        <translation>
            <numerusform>A message can have at most %Ln attachment.</numerusform>
            <numerusform>A message can have at most %Ln attachments.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>DuplicatesSection</name>
    <message numerus="yes">
        <source>and %Ln more</source>
        <translation>
            <numerusform>and %Ln more</numerusform>
            <numerusform>and %Ln more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Files</name>
    <message numerus="yes">
        <source>%Ln edits</source>
        <translation>
            <numerusform>%Ln edit</numerusform>
            <numerusform>%Ln edits</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Read whole, %Ln lines</source>
        <translation>
            <numerusform>Read whole, %Ln line</numerusform>
            <numerusform>Read whole, %Ln lines</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln tests failed</source>
        <translation>
            <numerusform>%Ln test failed</numerusform>
            <numerusform>%Ln tests failed</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>read %Ln times</source>
        <translation>
            <numerusform>read %Ln time</numerusform>
            <numerusform>read %Ln times</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln lines that were never read</source>
        <translation>
            <numerusform>%Ln line that was never read</numerusform>
            <numerusform>%Ln lines that were never read</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln reads</source>
        <translation>
            <numerusform>%Ln read</numerusform>
            <numerusform>%Ln reads</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln changes</source>
        <translation>
            <numerusform>%Ln change</numerusform>
            <numerusform>%Ln changes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln ranges never read are grey</source>
        <translation>
            <numerusform>%Ln range never read is grey</numerusform>
            <numerusform>%Ln ranges never read are grey</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>FilesController</name>
    <message numerus="yes">
        <source>Copied the known lines of the file; %Ln ranges are missing.</source>
        <translation>
            <numerusform>Copied the known lines of the file; %Ln range is missing.</numerusform>
            <numerusform>Copied the known lines of the file; %Ln ranges are missing.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>FilesView</name>
    <message numerus="yes">
        <source>Filter %Ln files</source>
        <translation>
            <numerusform>Filter %Ln file</numerusform>
            <numerusform>Filter %Ln files</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln files</source>
        <translation>
            <numerusform>%Ln file</numerusform>
            <numerusform>%Ln files</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln not changed</source>
        <translation>
            <numerusform>%Ln not changed</numerusform>
            <numerusform>%Ln not changed</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln other sessions use this file</source>
        <translation>
            <numerusform>%Ln other session uses this file</numerusform>
            <numerusform>%Ln other sessions use this file</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>FindBar</name>
    <message numerus="yes">
        <source>%Ln more on other branches</source>
        <translation>
            <numerusform>%Ln more on other branches</numerusform>
            <numerusform>%Ln more on other branches</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>HandOffDialog</name>
    <message numerus="yes">
        <source>%Ln messages</source>
        <translation>
            <numerusform>%Ln message</numerusform>
            <numerusform>%Ln messages</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln tool calls</source>
        <translation>
            <numerusform>%Ln tool call</numerusform>
            <numerusform>%Ln tool calls</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ImportButton</name>
    <message numerus="yes">
        <source>%Ln files</source>
        <translation>
            <numerusform>%Ln file</numerusform>
            <numerusform>%Ln files</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ImportDialog</name>
    <message numerus="yes">
        <source>%Ln sessions</source>
        <translation>
            <numerusform>%Ln session</numerusform>
            <numerusform>%Ln sessions</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Keep following %Ln folders</source>
        <translation>
            <numerusform>Keep following %Ln folder</numerusform>
            <numerusform>Keep following %Ln folders</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ImportReport</name>
    <message numerus="yes">
        <source>%Ln sessions</source>
        <translation>
            <numerusform>%Ln session</numerusform>
            <numerusform>%Ln sessions</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln files</source>
        <translation>
            <numerusform>%Ln file</numerusform>
            <numerusform>%Ln files</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln new entries</source>
        <translation>
            <numerusform>%Ln new entry</numerusform>
            <numerusform>%Ln new entries</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln unchanged files</source>
        <translation>
            <numerusform>%Ln unchanged file</numerusform>
            <numerusform>%Ln unchanged files</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln files not imported</source>
        <translation>
            <numerusform>%Ln file not imported</numerusform>
            <numerusform>%Ln files not imported</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln entries removed by their tool</source>
        <translation>
            <numerusform>%Ln entry removed by its tool</numerusform>
            <numerusform>%Ln entries removed by their tool</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln sessions deleted by their tool</source>
        <translation>
            <numerusform>%Ln session deleted by its tool</numerusform>
            <numerusform>%Ln sessions deleted by their tool</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln conversations not imported</source>
        <translation>
            <numerusform>%Ln conversation not imported</numerusform>
            <numerusform>%Ln conversations not imported</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln entries</source>
        <translation>
            <numerusform>%Ln entry</numerusform>
            <numerusform>%Ln entries</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln entries that the tool had removed are in its files again.</source>
        <translation>
            <numerusform>%Ln entry that the tool had removed is in its files again.</numerusform>
            <numerusform>%Ln entries that the tool had removed are in its files again.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln branches</source>
        <translation>
            <numerusform>%Ln branch</numerusform>
            <numerusform>%Ln branches</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln entries were removed by the tool. They are kept as a branch.</source>
        <translation>
            <numerusform>%Ln entry was removed by the tool. It is kept as a branch.</numerusform>
            <numerusform>%Ln entries were removed by the tool. They are kept as a branch.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>… and %Ln more</source>
        <translation>
            <numerusform>… and %Ln more</numerusform>
            <numerusform>… and %Ln more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>JumpButton</name>
    <message numerus="yes">
        <source>%Ln new below</source>
        <translation>
            <numerusform>%Ln new below</numerusform>
            <numerusform>%Ln new below</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>PruningController</name>
    <message numerus="yes">
        <source>Pruned %Ln tool results: ≈ {0} → {1}. The archive keeps the outputs.</source>
        <translation>
            <numerusform>Pruned %Ln tool result: ≈ {0} → {1}. The archive keeps the output.</numerusform>
            <numerusform>Pruned %Ln tool results: ≈ {0} → {1}. The archive keeps the outputs.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Pruned %Ln duplicates, {0}. The archive keeps the outputs.</source>
        <translation>
            <numerusform>Pruned %Ln duplicate, {0}. The archive keeps the output.</numerusform>
            <numerusform>Pruned %Ln duplicates, {0}. The archive keeps the outputs.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>QueueRowWidget</name>
    <message numerus="yes">
        <source>%Ln attachments</source>
        <translation>
            <numerusform>%Ln attachment</numerusform>
            <numerusform>%Ln attachments</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ResultsController</name>
    <message numerus="yes">
        <source>%Ln more sessions</source>
        <translation>
            <numerusform>%Ln more session</numerusform>
            <numerusform>%Ln more sessions</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Search</name>
    <message numerus="yes">
        <source>%Ln hits</source>
        <translation>
            <numerusform>%Ln hit</numerusform>
            <numerusform>%Ln hits</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln more hits</source>
        <translation>
            <numerusform>%Ln more hit</numerusform>
            <numerusform>%Ln more hits</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln sessions</source>
        <translation>
            <numerusform>%Ln session</numerusform>
            <numerusform>%Ln sessions</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>SearchController</name>
    <message numerus="yes">
        <source>More than %Ln hits</source>
        <translation>
            <numerusform>More than %Ln hit</numerusform>
            <numerusform>More than %Ln hits</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln hits</source>
        <translation>
            <numerusform>%Ln hit</numerusform>
            <numerusform>%Ln hits</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>All sessions · more than %Ln hits</source>
        <translation>
            <numerusform>All sessions · more than %Ln hit</numerusform>
            <numerusform>All sessions · more than %Ln hits</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>All sessions · %Ln hits</source>
        <translation>
            <numerusform>All sessions · %Ln hit</numerusform>
            <numerusform>All sessions · %Ln hits</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln sessions</source>
        <translation>
            <numerusform>%Ln session</numerusform>
            <numerusform>%Ln sessions</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ServerRow</name>
    <message numerus="yes">
        <source>Running with %Ln tools</source>
        <translation>
            <numerusform>Running with %Ln tool</numerusform>
            <numerusform>Running with %Ln tools</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ServersController</name>
    <message numerus="yes">
        <source>The server works and has %Ln tools: {0}</source>
        <translation>
            <numerusform>The server works and has %Ln tool: {0}</numerusform>
            <numerusform>The server works and has %Ln tools: {0}</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>SessionListController</name>
    <message numerus="yes">
        <source>%Ln sessions</source>
        <translation>
            <numerusform>%Ln session</numerusform>
            <numerusform>%Ln sessions</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Delete “{0}” with its %Ln entries?</source>
        <translation>
            <numerusform>Delete “{0}” with its %Ln entry?</numerusform>
            <numerusform>Delete “{0}” with its %Ln entries?</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln entries</source>
        <translation>
            <numerusform>%Ln entry</numerusform>
            <numerusform>%Ln entries</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Deleted %Ln sessions permanently.</source>
        <translation>
            <numerusform>Deleted %Ln session permanently.</numerusform>
            <numerusform>Deleted %Ln sessions permanently.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Sessions</name>
    <message numerus="yes">
        <source>%Ln branches</source>
        <translation>
            <numerusform>%Ln branch</numerusform>
            <numerusform>%Ln branches</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Started %Ln agents</source>
        <translation>
            <numerusform>Started %Ln agent</numerusform>
            <numerusform>Started %Ln agents</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln new</source>
        <comment>entries</comment>
        <translation>
            <numerusform>%Ln new</numerusform>
            <numerusform>%Ln new</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln new entries</source>
        <translation>
            <numerusform>%Ln new entry</numerusform>
            <numerusform>%Ln new entries</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln sessions</source>
        <translation>
            <numerusform>%Ln session</numerusform>
            <numerusform>%Ln sessions</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln nested, shown</source>
        <comment>sessions</comment>
        <translation>
            <numerusform>%Ln nested, shown</numerusform>
            <numerusform>%Ln nested, shown</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln nested</source>
        <comment>sessions</comment>
        <translation>
            <numerusform>%Ln nested</numerusform>
            <numerusform>%Ln nested</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>SessionsView</name>
    <message numerus="yes">
        <source>%Ln sessions</source>
        <translation>
            <numerusform>%Ln session</numerusform>
            <numerusform>%Ln sessions</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>SkillController</name>
    <message numerus="yes">
        <source>%Ln more problems</source>
        <translation>
            <numerusform>%Ln more problem</numerusform>
            <numerusform>%Ln more problems</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>StatusLine</name>
    <message numerus="yes">
        <source>%Ln sessions</source>
        <translation>
            <numerusform>%Ln session</numerusform>
            <numerusform>%Ln sessions</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln entries</source>
        <translation>
            <numerusform>%Ln entry</numerusform>
            <numerusform>%Ln entries</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln branches</source>
        <translation>
            <numerusform>%Ln branch</numerusform>
            <numerusform>%Ln branches</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln compactions</source>
        <translation>
            <numerusform>%Ln compaction</numerusform>
            <numerusform>%Ln compactions</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Steps</name>
    <message numerus="yes">
        <source>pruning of %Ln results</source>
        <translation>
            <numerusform>pruning of %Ln result</numerusform>
            <numerusform>pruning of %Ln results</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>automatic pruning of %Ln results</source>
        <translation>
            <numerusform>automatic pruning of %Ln result</numerusform>
            <numerusform>automatic pruning of %Ln results</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>label of %Ln entries</source>
        <translation>
            <numerusform>label of %Ln entry</numerusform>
            <numerusform>label of %Ln entries</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>removal of %Ln labels</source>
        <translation>
            <numerusform>removal of %Ln label</numerusform>
            <numerusform>removal of %Ln labels</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln pins</source>
        <translation>
            <numerusform>%Ln pin</numerusform>
            <numerusform>%Ln pins</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>removal of %Ln pins</source>
        <translation>
            <numerusform>removal of %Ln pin</numerusform>
            <numerusform>removal of %Ln pins</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln suggested titles</source>
        <translation>
            <numerusform>%Ln suggested title</numerusform>
            <numerusform>%Ln suggested titles</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln stars</source>
        <translation>
            <numerusform>%Ln star</numerusform>
            <numerusform>%Ln stars</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>removing %Ln stars</source>
        <translation>
            <numerusform>removing %Ln star</numerusform>
            <numerusform>removing %Ln stars</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>archiving of %Ln sessions</source>
        <translation>
            <numerusform>archiving of %Ln session</numerusform>
            <numerusform>archiving of %Ln sessions</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>unarchiving of %Ln sessions</source>
        <translation>
            <numerusform>unarchiving of %Ln session</numerusform>
            <numerusform>unarchiving of %Ln sessions</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>deletion of %Ln sessions</source>
        <translation>
            <numerusform>deletion of %Ln session</numerusform>
            <numerusform>deletion of %Ln sessions</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>restoring %Ln sessions</source>
        <translation>
            <numerusform>restoring %Ln session</numerusform>
            <numerusform>restoring %Ln sessions</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>import of %Ln sessions</source>
        <translation>
            <numerusform>import of %Ln session</numerusform>
            <numerusform>import of %Ln sessions</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>TitleController</name>
    <message numerus="yes">
        <source>Suggest titles for %Ln sessions?</source>
        <translation>
            <numerusform>Suggest titles for %Ln session?</numerusform>
            <numerusform>Suggest titles for %Ln sessions?</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Suggested %Ln titles.</source>
        <translation>
            <numerusform>Suggested %Ln title.</numerusform>
            <numerusform>Suggested %Ln titles.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>TranscriptController</name>
    <message numerus="yes">
        <source>Copied %Ln entries.</source>
        <translation>
            <numerusform>Copied %Ln entry.</numerusform>
            <numerusform>Copied %Ln entries.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Copied %Ln turns as Markdown.</source>
        <translation>
            <numerusform>Copied %Ln turn as Markdown.</numerusform>
            <numerusform>Copied %Ln turns as Markdown.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>without %Ln messages of other branches</source>
        <translation>
            <numerusform>without %Ln message of other branches</numerusform>
            <numerusform>without %Ln messages of other branches</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>without %Ln entries in the trash</source>
        <translation>
            <numerusform>without %Ln entry in the trash</numerusform>
            <numerusform>without %Ln entries in the trash</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>with %Ln entries that only Stemmata uses</source>
        <translation>
            <numerusform>with %Ln entry that only Stemmata uses</numerusform>
            <numerusform>with %Ln entries that only Stemmata uses</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>TranscriptCut</name>
    <message numerus="yes">
        <source>%Ln entries</source>
        <translation>
            <numerusform>%Ln entry</numerusform>
            <numerusform>%Ln entries</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>TranscriptView</name>
    <message numerus="yes">
        <source>%Ln entries</source>
        <translation>
            <numerusform>%Ln entry</numerusform>
            <numerusform>%Ln entries</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>WindowController</name>
    <message numerus="yes">
        <source>Copied %Ln links.</source>
        <translation>
            <numerusform>Copied %Ln link.</numerusform>
            <numerusform>Copied %Ln links.</numerusform>
        </translation>
    </message>
</context>
</TS>
