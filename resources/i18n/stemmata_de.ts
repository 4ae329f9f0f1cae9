<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
<context>
    <name>AboutDialog</name>
    <message>
        <source>About Stemmata</source>
        <translation>Über Stemmata</translation>
    </message>
    <message>
        <source>Copy version</source>
        <translation>Version kopieren</translation>
    </message>
    <message>
        <source>Guide</source>
        <translation>Anleitung</translation>
    </message>
    <message>
        <source>What’s new</source>
        <translation>Was ist neu</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>The session trees of your agents and model chats, in one local archive.</source>
        <translation>Die Sitzungsbäume deiner Agenten und Modell-Chats, in einem lokalen Archiv.</translation>
    </message>
    <message>
        <source>Licences</source>
        <translation>Lizenzen</translation>
    </message>
    <message>
        <source>Stemmata is free software under the MIT licence. Qt {0} is under the LGPL 3.</source>
        <translation>Stemmata ist freie Software unter der MIT-Lizenz. Qt {0} steht unter der LGPL 3.</translation>
    </message>
    <message>
        <source>Stemmata uses {0}.</source>
        <translation>Stemmata verwendet {0}.</translation>
    </message>
</context>
<context>
    <name>Actions</name>
    <message>
        <source>File</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>Bearbeiten</translation>
    </message>
    <message>
        <source>View</source>
        <translation>Ansicht</translation>
    </message>
    <message>
        <source>Session</source>
        <translation>Sitzung</translation>
    </message>
    <message>
        <source>Branch</source>
        <translation>Zweig</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>Kontext</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>Hilfe</translation>
    </message>
    <message>
        <source>New chat</source>
        <translation>Neuer Chat</translation>
    </message>
    <message>
        <source>Connect a model…</source>
        <translation>Modell verbinden …</translation>
    </message>
    <message>
        <source>Import sessions…</source>
        <translation>Sitzungen importieren …</translation>
    </message>
    <message>
        <source>Import files…</source>
        <translation>Dateien importieren …</translation>
    </message>
    <message>
        <source>Import a folder…</source>
        <translation>Ordner importieren …</translation>
    </message>
    <message>
        <source>Open the demo</source>
        <translation>Beispiel öffnen</translation>
    </message>
    <message>
        <source>New window</source>
        <translation>Neues Fenster</translation>
    </message>
    <message>
        <source>Close window</source>
        <translation>Fenster schließen</translation>
    </message>
    <message>
        <source>Export session…</source>
        <translation>Sitzung exportieren …</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Beenden</translation>
    </message>
    <message>
        <source>Run notification action</source>
        <translation>Aktion der Meldung ausführen</translation>
    </message>
    <message>
        <source>Copy selection as Markdown</source>
        <translation>Auswahl als Markdown kopieren</translation>
    </message>
    <message>
        <source>Switch split side</source>
        <translation>Zur anderen Seite wechseln</translation>
    </message>
    <message>
        <source>Group sessions by project</source>
        <translation>Sitzungen nach Projekt gruppieren</translation>
    </message>
    <message>
        <source>Group sessions by tool</source>
        <translation>Sitzungen nach Werkzeug gruppieren</translation>
    </message>
    <message>
        <source>Group sessions by day</source>
        <translation>Sitzungen nach Tag gruppieren</translation>
    </message>
    <message>
        <source>Switch light or dark theme</source>
        <translation>Helles oder dunkles Design</translation>
    </message>
    <message>
        <source>Delete permanently…</source>
        <translation>Endgültig löschen …</translation>
    </message>
    <message>
        <source>Thinking level…</source>
        <translation>Denkstufe …</translation>
    </message>
    <message>
        <source>Answer tool request</source>
        <translation>Werkzeuganfrage beantworten</translation>
    </message>
    <message>
        <source>Move subtree to trash</source>
        <translation>Teilbaum in den Papierkorb legen</translation>
    </message>
    <message>
        <source>Send only the beginning and end</source>
        <translation>Nur Anfang und Ende senden</translation>
    </message>
    <message>
        <source>Exclude from the context</source>
        <translation>Aus dem Kontext ausschließen</translation>
    </message>
    <message>
        <source>Send in full again</source>
        <translation>Wieder vollständig senden</translation>
    </message>
    <message>
        <source>Close preview</source>
        <translation>Vorschau schließen</translation>
    </message>
    <message>
        <source>Copy entry</source>
        <translation>Eintrag kopieren</translation>
    </message>
    <message>
        <source>Export this session…</source>
        <translation>Diese Sitzung exportieren …</translation>
    </message>
    <message>
        <source>Export all branches…</source>
        <translation>Alle Zweige exportieren …</translation>
    </message>
    <message>
        <source>Export path up to here…</source>
        <translation>Pfad bis hier exportieren …</translation>
    </message>
    <message>
        <source>Hand off…</source>
        <translation>Übergeben …</translation>
    </message>
    <message>
        <source>Resume in terminal</source>
        <translation>Im Terminal fortsetzen</translation>
    </message>
    <message>
        <source>Copy resume command</source>
        <translation>Befehl zum Fortsetzen kopieren</translation>
    </message>
    <message>
        <source>Reveal source file</source>
        <translation>Quelldatei zeigen</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig machen</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>Wiederholen</translation>
    </message>
    <message>
        <source>Copy link to entry</source>
        <translation>Link zum Eintrag kopieren</translation>
    </message>
    <message>
        <source>Select the whole transcript</source>
        <translation>Den ganzen Verlauf auswählen</translation>
    </message>
    <message>
        <source>Show raw entry</source>
        <translation>Rohen Eintrag zeigen</translation>
    </message>
    <message>
        <source>Search or run a command</source>
        <translation>Suchen oder Befehl ausführen</translation>
    </message>
    <message>
        <source>Search all sessions</source>
        <translation>Alle Sitzungen durchsuchen</translation>
    </message>
    <message>
        <source>Next hit</source>
        <translation>Nächster Treffer</translation>
    </message>
    <message>
        <source>Previous hit</source>
        <translation>Voriger Treffer</translation>
    </message>
    <message>
        <source>Close the search</source>
        <translation>Suche schließen</translation>
    </message>
    <message>
        <source>Filter sessions</source>
        <translation>Sitzungen filtern</translation>
    </message>
    <message>
        <source>Find in session</source>
        <translation>In der Sitzung suchen</translation>
    </message>
    <message>
        <source>Next match</source>
        <translation>Nächste Fundstelle</translation>
    </message>
    <message>
        <source>Previous match</source>
        <translation>Vorige Fundstelle</translation>
    </message>
    <message>
        <source>Previous prompt</source>
        <translation>Voriger Prompt</translation>
    </message>
    <message>
        <source>Next prompt</source>
        <translation>Nächster Prompt</translation>
    </message>
    <message>
        <source>Go to the first entry</source>
        <translation>Zum ersten Eintrag gehen</translation>
    </message>
    <message>
        <source>Go to the last entry</source>
        <translation>Zum letzten Eintrag gehen</translation>
    </message>
    <message>
        <source>Settings…</source>
        <translation>Einstellungen …</translation>
    </message>
    <message>
        <source>Search by meaning…</source>
        <translation>Suche nach Bedeutung …</translation>
    </message>
    <message>
        <source>Tool servers…</source>
        <translation>Werkzeugserver …</translation>
    </message>
    <message>
        <source>Models…</source>
        <translation>Modelle …</translation>
    </message>
    <message>
        <source>Sessions</source>
        <translation>Sitzungen</translation>
    </message>
    <message>
        <source>Columns</source>
        <translation>Spalten</translation>
    </message>
    <message>
        <source>Branches</source>
        <translation>Zweige</translation>
    </message>
    <message>
        <source>Transcript</source>
        <translation>Verlauf</translation>
    </message>
    <message>
        <source>Go to the sessions</source>
        <translation>Zu den Sitzungen gehen</translation>
    </message>
    <message>
        <source>Go to the branches</source>
        <translation>Zu den Zweigen gehen</translation>
    </message>
    <message>
        <source>Go to the transcript</source>
        <translation>Zum Verlauf gehen</translation>
    </message>
    <message>
        <source>Go to the context</source>
        <translation>Zum Kontext gehen</translation>
    </message>
    <message>
        <source>Files of this branch</source>
        <translation>Dateien dieses Zweigs</translation>
    </message>
    <message>
        <source>Split view</source>
        <translation>Ansicht teilen</translation>
    </message>
    <message>
        <source>Group sessions</source>
        <translation>Sitzungen gruppieren</translation>
    </message>
    <message>
        <source>Group sessions by tag</source>
        <translation>Sitzungen nach Schlagwort gruppieren</translation>
    </message>
    <message>
        <source>Sort sessions by last change</source>
        <translation>Sitzungen nach letzter Änderung sortieren</translation>
    </message>
    <message>
        <source>Sort sessions by creation date</source>
        <translation>Sitzungen nach Erstellungsdatum sortieren</translation>
    </message>
    <message>
        <source>Sort sessions by title</source>
        <translation>Sitzungen nach Titel sortieren</translation>
    </message>
    <message>
        <source>Sort sessions by number of entries</source>
        <translation>Sitzungen nach Zahl der Einträge sortieren</translation>
    </message>
    <message>
        <source>Sort sessions by context size</source>
        <translation>Sitzungen nach Größe des Kontexts sortieren</translation>
    </message>
    <message>
        <source>Sort sessions by cost</source>
        <translation>Sitzungen nach Kosten sortieren</translation>
    </message>
    <message>
        <source>Show context sizes in the list</source>
        <translation>Kontextgrößen in der Liste zeigen</translation>
    </message>
    <message>
        <source>Show costs in the list</source>
        <translation>Kosten in der Liste zeigen</translation>
    </message>
    <message>
        <source>Show automated sessions</source>
        <translation>Automatische Sitzungen zeigen</translation>
    </message>
    <message>
        <source>Show archived sessions</source>
        <translation>Archivierte Sitzungen zeigen</translation>
    </message>
    <message>
        <source>Show the trash</source>
        <translation>Papierkorb zeigen</translation>
    </message>
    <message>
        <source>Show deleted branches</source>
        <translation>Gelöschte Zweige zeigen</translation>
    </message>
    <message>
        <source>Larger text</source>
        <translation>Größerer Text</translation>
    </message>
    <message>
        <source>Text size</source>
        <translation>Textgröße</translation>
    </message>
    <message>
        <source>Smaller text</source>
        <translation>Kleinerer Text</translation>
    </message>
    <message>
        <source>Normal text size</source>
        <translation>Normale Textgröße</translation>
    </message>
    <message>
        <source>Wrap long lines of code</source>
        <translation>Lange Codezeilen umbrechen</translation>
    </message>
    <message>
        <source>Open in new window</source>
        <translation>In neuem Fenster öffnen</translation>
    </message>
    <message>
        <source>Open beside</source>
        <translation>Daneben öffnen</translation>
    </message>
    <message>
        <source>Star</source>
        <translation>Mit Stern markieren</translation>
    </message>
    <message>
        <source>Rename…</source>
        <translation>Umbenennen …</translation>
    </message>
    <message>
        <source>Suggest titles with a model</source>
        <translation>Titel von einem Modell vorschlagen lassen</translation>
    </message>
    <message>
        <source>Suggest titles for all untitled sessions</source>
        <translation>Titel für alle Sitzungen ohne Titel vorschlagen lassen</translation>
    </message>
    <message>
        <source>Tags…</source>
        <translation>Schlagwörter …</translation>
    </message>
    <message>
        <source>Archive</source>
        <translation>Archivieren</translation>
    </message>
    <message>
        <source>Move to trash</source>
        <translation>In den Papierkorb</translation>
    </message>
    <message>
        <source>Copy link to session</source>
        <translation>Link zur Sitzung kopieren</translation>
    </message>
    <message>
        <source>Previous session</source>
        <translation>Vorige Sitzung</translation>
    </message>
    <message>
        <source>Next session</source>
        <translation>Nächste Sitzung</translation>
    </message>
    <message>
        <source>Go to the session this one came from</source>
        <translation>Zur Sitzung gehen, aus der diese kam</translation>
    </message>
    <message>
        <source>Go to the session that continues this one</source>
        <translation>Zur Sitzung gehen, die diese fortsetzt</translation>
    </message>
    <message>
        <source>Continue in full</source>
        <translation>Vollständig fortsetzen</translation>
    </message>
    <message>
        <source>Continue from a summary</source>
        <translation>Aus einer Zusammenfassung fortsetzen</translation>
    </message>
    <message>
        <source>Write a message</source>
        <translation>Nachricht schreiben</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>Nachricht</translation>
    </message>
    <message>
        <source>Send or queue</source>
        <translation>Senden oder einreihen</translation>
    </message>
    <message>
        <source>Send now</source>
        <translation>Jetzt senden</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Continue the reply</source>
        <translation>Antwort fortsetzen</translation>
    </message>
    <message>
        <source>Retry</source>
        <translation>Erneut versuchen</translation>
    </message>
    <message>
        <source>Attach files…</source>
        <translation>Dateien anhängen …</translation>
    </message>
    <message>
        <source>Choose a model…</source>
        <translation>Modell wählen …</translation>
    </message>
    <message>
        <source>Model and tools</source>
        <translation>Modell und Werkzeuge</translation>
    </message>
    <message>
        <source>Next thinking level</source>
        <translation>Nächste Denkstufe</translation>
    </message>
    <message>
        <source>Skills…</source>
        <translation>Skills …</translation>
    </message>
    <message>
        <source>Allow tool request once</source>
        <translation>Werkzeuganfrage einmal erlauben</translation>
    </message>
    <message>
        <source>Refuse tool request</source>
        <translation>Werkzeuganfrage ablehnen</translation>
    </message>
    <message>
        <source>Continue from here</source>
        <translation>Von hier fortfahren</translation>
    </message>
    <message>
        <source>Fork to new session</source>
        <translation>In neue Sitzung abzweigen</translation>
    </message>
    <message>
        <source>Label…</source>
        <translation>Beschriften …</translation>
    </message>
    <message>
        <source>Pin or unpin</source>
        <translation>Anheften oder lösen</translation>
    </message>
    <message>
        <source>Go to leaf</source>
        <translation>Zum Blatt gehen</translation>
    </message>
    <message>
        <source>Previous sibling</source>
        <translation>Voriger Geschwistereintrag</translation>
    </message>
    <message>
        <source>Next sibling</source>
        <translation>Nächster Geschwistereintrag</translation>
    </message>
    <message>
        <source>Regenerate the reply</source>
        <translation>Antwort neu erzeugen</translation>
    </message>
    <message>
        <source>Open branch beside</source>
        <translation>Zweig daneben öffnen</translation>
    </message>
    <message>
        <source>Compare with active branch</source>
        <translation>Mit dem aktiven Zweig vergleichen</translation>
    </message>
    <message>
        <source>Compact…</source>
        <translation>Verdichten …</translation>
    </message>
    <message>
        <source>Summarise from here…</source>
        <translation>Ab hier zusammenfassen …</translation>
    </message>
    <message>
        <source>Summarise up to here…</source>
        <translation>Bis hier zusammenfassen …</translation>
    </message>
    <message>
        <source>Summarise up to this entry…</source>
        <translation>Bis zu diesem Eintrag zusammenfassen …</translation>
    </message>
    <message>
        <source>Summarise from this entry…</source>
        <translation>Ab diesem Eintrag zusammenfassen …</translation>
    </message>
    <message>
        <source>Compact from here</source>
        <translation>Von hier aus verdichten</translation>
    </message>
    <message>
        <source>Prune tool output</source>
        <translation>Werkzeugausgaben auslassen</translation>
    </message>
    <message>
        <source>Prune duplicate tool output</source>
        <translation>Doppelte Werkzeugausgaben auslassen</translation>
    </message>
    <message>
        <source>Compact this session automatically</source>
        <translation>Diese Sitzung automatisch verdichten</translation>
    </message>
    <message>
        <source>Accept compaction</source>
        <translation>Verdichtung übernehmen</translation>
    </message>
    <message>
        <source>Edit or preview the summary</source>
        <translation>Zusammenfassung bearbeiten oder ansehen</translation>
    </message>
    <message>
        <source>Compare two cuts, or end the comparison</source>
        <translation>Zwei Schnitte vergleichen oder den Vergleich beenden</translation>
    </message>
    <message>
        <source>Use the other cut</source>
        <translation>Den anderen Schnitt verwenden</translation>
    </message>
    <message>
        <source>Show the context of the next request</source>
        <translation>Kontext der nächsten Anfrage zeigen</translation>
    </message>
    <message>
        <source>Show the context at the selected entry</source>
        <translation>Kontext am gewählten Eintrag zeigen</translation>
    </message>
    <message>
        <source>Count the context exactly</source>
        <translation>Kontext genau zählen</translation>
    </message>
    <message>
        <source>Show context here</source>
        <translation>Kontext an dieser Stelle zeigen</translation>
    </message>
    <message>
        <source>Keys of this column</source>
        <translation>Tasten dieser Spalte</translation>
    </message>
    <message>
        <source>Change keyboard shortcuts…</source>
        <translation>Tastenkürzel ändern …</translation>
    </message>
    <message>
        <source>Guide</source>
        <translation>Anleitung</translation>
    </message>
    <message>
        <source>What’s new</source>
        <translation>Was ist neu</translation>
    </message>
    <message>
        <source>Add to the menu of the desktop</source>
        <translation>Ins Menü des Desktops aufnehmen</translation>
    </message>
    <message>
        <source>Next row</source>
        <translation>Nächste Zeile</translation>
    </message>
    <message>
        <source>Previous row</source>
        <translation>Vorige Zeile</translation>
    </message>
    <message>
        <source>A page down</source>
        <translation>Eine Seite nach unten</translation>
    </message>
    <message>
        <source>A page up</source>
        <translation>Eine Seite nach oben</translation>
    </message>
    <message>
        <source>First row</source>
        <translation>Erste Zeile</translation>
    </message>
    <message>
        <source>Last row</source>
        <translation>Letzte Zeile</translation>
    </message>
    <message>
        <source>Fold the branch</source>
        <translation>Zweig einklappen</translation>
    </message>
    <message>
        <source>Unfold the branch</source>
        <translation>Zweig ausklappen</translation>
    </message>
    <message>
        <source>Search in these branches</source>
        <translation>In diesen Zweigen suchen</translation>
    </message>
    <message>
        <source>Menu of the row</source>
        <translation>Menü der Zeile</translation>
    </message>
    <message>
        <source>Select only the current row</source>
        <translation>Nur die aktuelle Zeile auswählen</translation>
    </message>
    <message>
        <source>Show turns</source>
        <translation>Runden zeigen</translation>
    </message>
    <message>
        <source>Show prompts only</source>
        <translation>Nur Prompts zeigen</translation>
    </message>
    <message>
        <source>Show no tools</source>
        <translation>Ohne Werkzeuge zeigen</translation>
    </message>
    <message>
        <source>Show labelled entries</source>
        <translation>Beschriftete Einträge zeigen</translation>
    </message>
    <message>
        <source>Show everything</source>
        <translation>Alles zeigen</translation>
    </message>
    <message>
        <source>Next card</source>
        <translation>Nächste Karte</translation>
    </message>
    <message>
        <source>Previous card</source>
        <translation>Vorige Karte</translation>
    </message>
    <message>
        <source>Scroll down, then the next card</source>
        <translation>Nach unten blättern, dann zur nächsten Karte</translation>
    </message>
    <message>
        <source>Scroll up, then the previous card</source>
        <translation>Nach oben blättern, dann zur vorigen Karte</translation>
    </message>
    <message>
        <source>First card</source>
        <translation>Erste Karte</translation>
    </message>
    <message>
        <source>Last card</source>
        <translation>Letzte Karte</translation>
    </message>
    <message>
        <source>Open the picture, subagent or whole text</source>
        <translation>Bild, Subagent oder ganzen Text öffnen</translation>
    </message>
    <message>
        <source>Unfold or fold the card</source>
        <translation>Karte aus- oder einklappen</translation>
    </message>
    <message>
        <source>Unfold the card</source>
        <translation>Karte ausklappen</translation>
    </message>
    <message>
        <source>Fold the card</source>
        <translation>Karte einklappen</translation>
    </message>
    <message>
        <source>Scroll wide code and tables right</source>
        <translation>Breiten Code und Tabellen nach rechts schieben</translation>
    </message>
    <message>
        <source>Scroll wide code and tables left</source>
        <translation>Breiten Code und Tabellen nach links schieben</translation>
    </message>
    <message>
        <source>Unfold or fold all tool calls</source>
        <translation>Alle Werkzeugaufrufe aus- oder einklappen</translation>
    </message>
    <message>
        <source>Unfold or fold all thoughts</source>
        <translation>Alle Gedanken aus- oder einklappen</translation>
    </message>
    <message>
        <source>Copy the first block of code, then the next one</source>
        <translation>Den ersten Codeblock kopieren, dann den nächsten</translation>
    </message>
    <message>
        <source>Edit the prompt, or continue from the entry</source>
        <translation>Den Prompt bearbeiten oder ab dem Eintrag fortfahren</translation>
    </message>
    <message>
        <source>Menu of the entry</source>
        <translation>Menü des Eintrags</translation>
    </message>
    <message>
        <source>About Stemmata</source>
        <translation>Über Stemmata</translation>
    </message>
</context>
<context>
    <name>ArchiveErrorDialog</name>
    <message>
        <source>Stemmata</source>
        <translation>Stemmata</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Erneut versuchen</translation>
    </message>
    <message>
        <source>Restore the backup</source>
        <translation>Sicherung wiederherstellen</translation>
    </message>
    <message>
        <source>Open another archive…</source>
        <translation>Anderes Archiv öffnen …</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Beenden</translation>
    </message>
    <message>
        <source>The archive cannot be opened</source>
        <translation>Das Archiv lässt sich nicht öffnen</translation>
    </message>
    <message>
        <source>A backup from {0} exists ({1}). Restoring it moves the current archive aside and deletes nothing.</source>
        <translation>Es gibt eine Sicherung vom {0} ({1}). Das Wiederherstellen legt das jetzige Archiv beiseite und löscht nichts.</translation>
    </message>
    <message>
        <source>Open another archive</source>
        <translation>Anderes Archiv öffnen</translation>
    </message>
</context>
<context>
    <name>AttachmentRow</name>
    <message>
        <source>reading…</source>
        <translation>wird gelesen …</translation>
    </message>
    <message>
        <source>Remove attachment</source>
        <translation>Anhang entfernen</translation>
    </message>
    <message>
        <source>Attached: {0}, {1}</source>
        <translation>Angehängt: {0}, {1}</translation>
    </message>
</context>
<context>
    <name>AttachmentRows</name>
    <message>
        <source>Attachments</source>
        <translation>Anhänge</translation>
    </message>
</context>
<context>
    <name>Attachments</name>
    <message>
        <source>Attachment</source>
        <translation>Anhang</translation>
    </message>
    <message>
        <source>“{0}” is no longer in the archive.</source>
        <translation>„{0}“ ist nicht mehr im Archiv.</translation>
    </message>
</context>
<context>
    <name>AutoCompactionController</name>
    <message>
        <source>Automatic compaction is off in the settings, for all sessions.</source>
        <translation>Automatische Verdichtung ist in den Einstellungen für alle Sitzungen aus.</translation>
    </message>
    <message>
        <source>Automatic compaction is off for this session.</source>
        <translation>Automatische Verdichtung ist für diese Sitzung aus.</translation>
    </message>
    <message>
        <source>Automatic compaction is on for this session.</source>
        <translation>Automatische Verdichtung ist für diese Sitzung an.</translation>
    </message>
    <message>
        <source>Use the digest</source>
        <translation>Auszug verwenden</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>The session has new entries since then. Undo the compaction on its card.</source>
        <translation>Die Sitzung hat seitdem neue Einträge. Nimm die Verdichtung auf ihrer Karte zurück.</translation>
    </message>
</context>
<context>
    <name>Banner</name>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Something went wrong inside Stemmata ({0}). Your sessions are untouched; the log has the details.</source>
        <translation>In Stemmata ist etwas schiefgegangen ({0}). Deine Sitzungen sind unberührt; Näheres steht im Protokoll.</translation>
    </message>
</context>
<context>
    <name>Branches</name>
    <message>
        <source>Turns</source>
        <translation>Runden</translation>
    </message>
    <message>
        <source>Prompts only</source>
        <translation>Nur Prompts</translation>
    </message>
    <message>
        <source>No tools</source>
        <translation>Ohne Werkzeuge</translation>
    </message>
    <message>
        <source>Labelled</source>
        <translation>Beschriftete</translation>
    </message>
    <message>
        <source>Everything</source>
        <translation>Alles</translation>
    </message>
    <message>
        <source>{0} (other text)</source>
        <translation>{0} (anderer Text)</translation>
    </message>
    <message>
        <source>streaming</source>
        <translation>wird empfangen</translation>
    </message>
    <message numerus="yes">
        <source>%Ln tools</source>
        <translation>
            <numerusform>%Ln Werkzeug</numerusform>
            <numerusform>%Ln Werkzeuge</numerusform>
        </translation>
    </message>
    <message>
        <source>summary</source>
        <translation>Zusammenfassung</translation>
    </message>
    <message>
        <source>labelled {0}</source>
        <translation>beschriftet {0}</translation>
    </message>
    <message>
        <source>pinned</source>
        <translation>angeheftet</translation>
    </message>
    <message numerus="yes">
        <source>%Ln rows folded</source>
        <translation>
            <numerusform>%Ln Zeile eingeklappt</numerusform>
            <numerusform>%Ln Zeilen eingeklappt</numerusform>
        </translation>
    </message>
    <message>
        <source>current leaf</source>
        <translation>aktuelles Blatt</translation>
    </message>
    <message>
        <source>on active path</source>
        <translation>auf dem aktiven Pfad</translation>
    </message>
    <message>
        <source>on another branch</source>
        <translation>auf einem anderen Zweig</translation>
    </message>
    <message>
        <source>You</source>
        <translation>Du</translation>
    </message>
    <message>
        <source>Assistant</source>
        <translation>Assistent</translation>
    </message>
    <message>
        <source>Tool</source>
        <translation>Werkzeug</translation>
    </message>
    <message>
        <source>Compaction</source>
        <translation>Verdichtung</translation>
    </message>
    <message>
        <source>Branch summary</source>
        <translation>Zweigzusammenfassung</translation>
    </message>
    <message>
        <source>Setting</source>
        <translation>Einstellung</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Notiz</translation>
    </message>
    <message>
        <source>Compacted</source>
        <translation>Verdichtet</translation>
    </message>
    <message>
        <source>Compacted {0}</source>
        <translation>{0} verdichtet</translation>
    </message>
    <message>
        <source>Compacted to {0}</source>
        <translation>Verdichtet auf {0}</translation>
    </message>
    <message>
        <source>Compacted {0} → {1}</source>
        <translation>Verdichtet {0} → {1}</translation>
    </message>
    <message>
        <source>{0} (failed)</source>
        <translation>{0} (fehlgeschlagen)</translation>
    </message>
    <message>
        <source>Note for the model</source>
        <translation>Notiz für das Modell</translation>
    </message>
    <message>
        <source>(no text)</source>
        <translation>(kein Text)</translation>
    </message>
    <message>
        <source>Pin (kept by compactions)</source>
        <translation>Anheften (Verdichtungen behalten es)</translation>
    </message>
    <message>
        <source>Pin all (kept by compactions)</source>
        <translation>Alle anheften (Verdichtungen behalten sie)</translation>
    </message>
    <message>
        <source>(no longer in the archive)</source>
        <translation>(nicht mehr im Archiv)</translation>
    </message>
    <message>
        <source>Abandoned branch: {0}</source>
        <translation>Verlassener Zweig: {0}</translation>
    </message>
    <message>
        <source>Abandoned branch</source>
        <translation>Verlassener Zweig</translation>
    </message>
    <message>
        <source>removed</source>
        <translation>entfernt</translation>
    </message>
    <message>
        <source>removed by {0}</source>
        <translation>von {0} entfernt</translation>
    </message>
    <message>
        <source>removed by {0} on {1}</source>
        <translation>von {0} am {1} entfernt</translation>
    </message>
    <message>
        <source>version {0} of {1}</source>
        <translation>Fassung {0} von {1}</translation>
    </message>
    <message>
        <source>No turn has a label. Press L to label a turn, 1 to show all turns.</source>
        <translation>Keine Runde hat eine Beschriftung. L beschriftet eine Runde, 1 zeigt alle Runden.</translation>
    </message>
    <message>
        <source>No messages yet.</source>
        <translation>Noch keine Nachrichten.</translation>
    </message>
    <message>
        <source>deleted</source>
        <translation>gelöscht</translation>
    </message>
    <message>
        <source>{0}, reply streaming</source>
        <translation>{0}, Antwort läuft</translation>
    </message>
    <message>
        <source>{0} (stopped)</source>
        <translation>{0} (angehalten)</translation>
    </message>
    <message>
        <source>Model: {0}</source>
        <translation>Modell: {0}</translation>
    </message>
    <message>
        <source>Thinking: {0}</source>
        <translation>Denken: {0}</translation>
    </message>
    <message>
        <source>Named “{0}”</source>
        <translation>Benannt „{0}“</translation>
    </message>
    <message>
        <source>Label “{0}”</source>
        <translation>Beschriftung „{0}“</translation>
    </message>
    <message>
        <source>Label removed</source>
        <translation>Beschriftung entfernt</translation>
    </message>
    <message>
        <source>Restored from trash</source>
        <translation>Aus dem Papierkorb geholt</translation>
    </message>
    <message>
        <source>Moved to trash</source>
        <translation>In den Papierkorb gelegt</translation>
    </message>
    <message>
        <source>Entry excluded from the context</source>
        <translation>Eintrag vom Kontext ausgeschlossen</translation>
    </message>
    <message>
        <source>Duplicate tool output pruned</source>
        <translation>Doppelte Werkzeugausgabe ausgelassen</translation>
    </message>
    <message>
        <source>Entry sent in full again</source>
        <translation>Eintrag wieder vollständig gesendet</translation>
    </message>
    <message>
        <source>Skill activated: {0}</source>
        <translation>Skill aktiviert: {0}</translation>
    </message>
    <message>
        <source>Skill deactivated: {0}</source>
        <translation>Skill deaktiviert: {0}</translation>
    </message>
    <message>
        <source>Unpinned</source>
        <translation>Gelöst</translation>
    </message>
    <message>
        <source>Pinned</source>
        <translation>Angeheftet</translation>
    </message>
    <message>
        <source>Tool output pruned</source>
        <translation>Werkzeugausgaben ausgelassen</translation>
    </message>
    <message>
        <source>Entry cut</source>
        <translation>Eintrag gekürzt</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation>Lösen</translation>
    </message>
    <message>
        <source>Restore from the trash</source>
        <translation>Aus dem Papierkorb holen</translation>
    </message>
    <message>
        <source>Unpin all</source>
        <translation>Alle lösen</translation>
    </message>
    <message numerus="yes">
        <source>Copy %Ln turns</source>
        <translation>
            <numerusform>%Ln Runde kopieren</numerusform>
            <numerusform>%Ln Runden kopieren</numerusform>
        </translation>
    </message>
    <message>
        <source>Compare these two</source>
        <translation>Diese beiden vergleichen</translation>
    </message>
</context>
<context>
    <name>BranchesController</name>
    <message>
        <source>Compaction undone. It stays in the tree, with the entries after it.</source>
        <translation>Verdichtung rückgängig gemacht. Sie bleibt mit ihren Folgeeinträgen im Baum.</translation>
    </message>
    <message>
        <source>Fork to a new session? The preview stays open.</source>
        <translation>In eine neue Sitzung abzweigen? Die Vorschau bleibt offen.</translation>
    </message>
    <message>
        <source>Fork</source>
        <translation>Abzweigen</translation>
    </message>
    <message>
        <source>Branch moved to trash.</source>
        <translation>Zweig in den Papierkorb gelegt.</translation>
    </message>
    <message>
        <source>Branch restored from trash.</source>
        <translation>Zweig aus dem Papierkorb geholt.</translation>
    </message>
    <message>
        <source>Excluded from the context.</source>
        <translation>Vom Kontext ausgeschlossen.</translation>
    </message>
    <message>
        <source>Entry cut: only its beginning and end are sent.</source>
        <translation>Eintrag gekürzt: nur Anfang und Ende werden gesendet.</translation>
    </message>
    <message>
        <source>Sent in full again.</source>
        <translation>Wird wieder vollständig gesendet.</translation>
    </message>
    <message>
        <source>Summarised.</source>
        <translation>Zusammengefasst.</translation>
    </message>
    <message numerus="yes">
        <source>Pinned %Ln turns: compactions keep them.</source>
        <translation>
            <numerusform>%Ln Runde angeheftet: Verdichtungen behalten sie.</numerusform>
            <numerusform>%Ln Runden angeheftet: Verdichtungen behalten sie.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Unpinned %Ln turns.</source>
        <translation>
            <numerusform>%Ln Runde gelöst.</numerusform>
            <numerusform>%Ln Runden gelöst.</numerusform>
        </translation>
    </message>
    <message>
        <source>Pinned: compactions keep this entry.</source>
        <translation>Angeheftet: Verdichtungen behalten diesen Eintrag.</translation>
    </message>
    <message>
        <source>Unpinned.</source>
        <translation>Nicht mehr angeheftet.</translation>
    </message>
    <message>
        <source>Label (empty removes it)</source>
        <translation>Beschriftung (leer entfernt sie)</translation>
    </message>
    <message>
        <source>Label</source>
        <translation>Beschriftung</translation>
    </message>
    <message numerus="yes">
        <source>You leave %Ln messages of the active branch. They stay in the tree as a branch of their own.</source>
        <translation>
            <numerusform>Sie verlassen %Ln Nachricht des aktiven Zweigs. Diese bleibt als eigener Zweig im Baum.</numerusform>
            <numerusform>Sie verlassen %Ln Nachrichten des aktiven Zweigs. Diese bleiben als eigener Zweig im Baum.</numerusform>
        </translation>
    </message>
    <message>
        <source>Forked to a new session, which shares the earlier entries.</source>
        <translation>In eine neue Sitzung abgezweigt, die die früheren Einträge teilt.</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>Zeigen</translation>
    </message>
</context>
<context>
    <name>BranchesList</name>
    <message>
        <source>Branches</source>
        <translation>Zweige</translation>
    </message>
</context>
<context>
    <name>BranchesView</name>
    <message>
        <source>Branches</source>
        <translation>Zweige</translation>
    </message>
    <message>
        <source>Search in these branches</source>
        <translation>In diesen Zweigen suchen</translation>
    </message>
</context>
<context>
    <name>BreakdownSection</name>
    <message>
        <source>System and tools</source>
        <translation>System und Werkzeuge</translation>
    </message>
    <message>
        <source>Next request</source>
        <translation>Nächste Anfrage</translation>
    </message>
    <message>
        <source>Until auto-compact</source>
        <translation>Bis zur Verdichtung</translation>
    </message>
    <message>
        <source>Count exactly</source>
        <translation>Genau zählen</translation>
    </message>
    <message>
        <source>Ask the provider how many tokens this request has</source>
        <translation>Den Anbieter fragen, wie viele Tokens diese Anfrage hat</translation>
    </message>
    <message>
        <source>Inferred from the first reported total: the tokens that are not messages</source>
        <translation>Aus der ersten gemeldeten Summe abgeleitet: die Tokens außerhalb der Nachrichten</translation>
    </message>
    <message>
        <source>Counting…</source>
        <translation>Wird gezählt …</translation>
    </message>
    <message>
        <source>{0} of {1}</source>
        <translation>{0} von {1}</translation>
    </message>
    <message>
        <source>This model&apos;s context window is unknown.</source>
        <translation>Das Kontextfenster dieses Modells ist unbekannt.</translation>
    </message>
    <message>
        <source>= counted by the provider, ≈ estimated</source>
        <translation>= vom Anbieter gezählt, ≈ geschätzt</translation>
    </message>
    <message>
        <source>No reply reported the context&apos;s size. The figures are estimates of the messages only.</source>
        <translation>Keine Antwort hat die Größe des Kontexts gemeldet. Die Zahlen sind Schätzungen der Nachrichten allein.</translation>
    </message>
    <message>
        <source>Estimates adjusted ×{0} to match the reported total.</source>
        <translation>Schätzungen ×{0} angepasst, passend zur gemeldeten Summe.</translation>
    </message>
</context>
<context>
    <name>CacheSection</name>
    <message>
        <source>Cache</source>
        <translation>Cache</translation>
    </message>
    <message>
        <source>{0} read</source>
        <translation>{0} gelesen</translation>
    </message>
    <message numerus="yes">
        <source>Input of the last %Ln replies</source>
        <translation>
            <numerusform>Eingabe der letzten Antwort</numerusform>
            <numerusform>Eingabe der letzten %Ln Antworten</numerusform>
        </translation>
    </message>
    <message>
        <source>Last request missed the cache: {0}</source>
        <translation>Letzte Anfrage ohne Cache: {0}</translation>
    </message>
</context>
<context>
    <name>Card</name>
    <message>
        <source>Assistant</source>
        <translation>Assistent</translation>
    </message>
    <message>
        <source>Ended in an error: {reason}</source>
        <translation>Mit einem Fehler beendet: {reason}</translation>
    </message>
    <message>
        <source>Ended in an error</source>
        <translation>Mit einem Fehler beendet</translation>
    </message>
    <message>
        <source>{count} in</source>
        <translation>{count} Eingabe</translation>
    </message>
    <message>
        <source>{count} out</source>
        <translation>{count} Ausgabe</translation>
    </message>
    <message>
        <source>Reported by the provider</source>
        <translation>Vom Anbieter gemeldet</translation>
    </message>
    <message>
        <source>Input {count}</source>
        <translation>Eingabe {count}</translation>
    </message>
    <message>
        <source>Cache read {count}</source>
        <translation>Cache gelesen {count}</translation>
    </message>
    <message>
        <source>Cache written {count}</source>
        <translation>Cache geschrieben {count}</translation>
    </message>
    <message>
        <source>of which kept for an hour {count}</source>
        <translation>davon für eine Stunde {count}</translation>
    </message>
    <message>
        <source>Output {count}</source>
        <translation>Ausgabe {count}</translation>
    </message>
    <message>
        <source>Cost ${cost}</source>
        <translation>Kosten {cost} $</translation>
    </message>
    <message>
        <source>Show the summarised branch</source>
        <translation>Zusammengefassten Zweig zeigen</translation>
    </message>
    <message>
        <source>Compacted {before} → {after}</source>
        <translation>Verdichtet {before} → {after}</translation>
    </message>
    <message>
        <source>Compacted {before}</source>
        <translation>{before} verdichtet</translation>
    </message>
    <message>
        <source>Compacted</source>
        <translation>Verdichtet</translation>
    </message>
    <message>
        <source>Silent turn: {0}</source>
        <translation>Stille Runde: {0}</translation>
    </message>
    <message>
        <source>Silent turn</source>
        <translation>Stille Runde</translation>
    </message>
    <message>
        <source>Interrupted</source>
        <translation>Unterbrochen</translation>
    </message>
    <message>
        <source>The reply filled the model’s context window</source>
        <translation>Die Antwort hat das Kontextfenster des Modells gefüllt</translation>
    </message>
    <message>
        <source>The reply is empty</source>
        <translation>Die Antwort ist leer</translation>
    </message>
    <message numerus="yes">
        <source>The reply reached the limit of %Ln tokens</source>
        <translation>
            <numerusform>Die Antwort hat die Grenze von %Ln Token erreicht</numerusform>
            <numerusform>Die Antwort hat die Grenze von %Ln Tokens erreicht</numerusform>
        </translation>
    </message>
    <message>
        <source>The reply reached its limit of tokens</source>
        <translation>Die Antwort hat ihre Token-Grenze erreicht</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Raise the limit…</source>
        <translation>Grenze anheben …</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>Bearbeiten</translation>
    </message>
    <message>
        <source>Edit this summary</source>
        <translation>Diese Zusammenfassung bearbeiten</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>Show less</source>
        <translation>Weniger zeigen</translation>
    </message>
    <message>
        <source>Show the whole summary</source>
        <translation>Ganze Zusammenfassung zeigen</translation>
    </message>
    <message>
        <source>Before</source>
        <translation>Vorher</translation>
    </message>
    <message>
        <source>After</source>
        <translation>Nachher</translation>
    </message>
    <message>
        <source>You</source>
        <translation>Du</translation>
    </message>
    <message>
        <source>Tool result</source>
        <translation>Werkzeugergebnis</translation>
    </message>
    <message>
        <source>You ran</source>
        <translation>Von dir ausgeführt</translation>
    </message>
    <message>
        <source>Compaction</source>
        <translation>Verdichtung</translation>
    </message>
    <message>
        <source>Branch summary</source>
        <translation>Zweigzusammenfassung</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Notiz</translation>
    </message>
    <message>
        <source>Label “{0}”</source>
        <translation>Beschriftung „{0}“</translation>
    </message>
    <message>
        <source>Version {0} of {1}</source>
        <translation>Fassung {0} von {1}</translation>
    </message>
    <message>
        <source>other text</source>
        <translation>anderer Text</translation>
    </message>
    <message>
        <source>Previous version</source>
        <translation>Vorige Fassung</translation>
    </message>
    <message>
        <source>Next version</source>
        <translation>Nächste Fassung</translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation>Lösen</translation>
    </message>
    <message>
        <source>Copy as Markdown</source>
        <translation>Als Markdown kopieren</translation>
    </message>
    <message>
        <source>Fork</source>
        <translation>Abzweigen</translation>
    </message>
    <message>
        <source>Fork to a new session from here</source>
        <translation>Von hier in eine neue Sitzung abzweigen</translation>
    </message>
    <message>
        <source>summarised</source>
        <translation>zusammengefasst</translation>
    </message>
    <message>
        <source>kept</source>
        <translation>behalten</translation>
    </message>
    <message>
        <source>pinned · kept word for word</source>
        <translation>angeheftet · bleibt wörtlich</translation>
    </message>
    <message>
        <source>Cut: only its beginning and end are sent</source>
        <translation>Gekürzt: Nur Anfang und Ende werden gesendet</translation>
    </message>
    <message numerus="yes">
        <source>%Ln entries kept</source>
        <translation>
            <numerusform>%Ln Eintrag behalten</numerusform>
            <numerusform>%Ln Einträge behalten</numerusform>
        </translation>
    </message>
    <message>
        <source>Edited by you</source>
        <translation>Von dir bearbeitet</translation>
    </message>
    <message>
        <source>Digest</source>
        <translation>Auszug</translation>
    </message>
    <message numerus="yes">
        <source>show the %Ln summarised entries</source>
        <translation>
            <numerusform>den %Ln zusammengefassten Eintrag zeigen</numerusform>
            <numerusform>die %Ln zusammengefassten Einträge zeigen</numerusform>
        </translation>
    </message>
    <message>
        <source>show the summarised entries</source>
        <translation>die zusammengefassten Einträge zeigen</translation>
    </message>
    <message>
        <source>Pruned: the file is read again further down</source>
        <translation>Ausgelassen: Die Datei wird weiter unten noch einmal gelesen</translation>
    </message>
    <message>
        <source>Pruned: the file was changed since, and its new text is further down</source>
        <translation>Ausgelassen: Die Datei wurde seitdem geändert, und ihr neuer Text steht weiter unten</translation>
    </message>
    <message>
        <source>Pruned: the same call is made again further down</source>
        <translation>Ausgelassen: Derselbe Aufruf steht weiter unten noch einmal</translation>
    </message>
    <message>
        <source>removed by the tool</source>
        <translation>vom Werkzeug entfernt</translation>
    </message>
    <message>
        <source>The tool removed this entry. It is kept here.</source>
        <translation>Das Werkzeug hat diesen Eintrag entfernt. Hier bleibt er erhalten.</translation>
    </message>
    <message>
        <source>The tool removed this entry on {0}. It is kept here.</source>
        <translation>Das Werkzeug hat diesen Eintrag am {0} entfernt. Hier bleibt er erhalten.</translation>
    </message>
    <message>
        <source>Skill “{name}” deactivated</source>
        <translation>Skill „{name}“ deaktiviert</translation>
    </message>
    <message>
        <source>Skill “{name}” activated by the message below</source>
        <translation>Skill „{name}“ durch die Nachricht darunter aktiviert</translation>
    </message>
    <message>
        <source>Skill “{name}” activated</source>
        <translation>Skill „{name}“ aktiviert</translation>
    </message>
    <message numerus="yes">
        <source>%Ln tool results above are pruned: later ones replace them</source>
        <translation>
            <numerusform>%Ln Werkzeugergebnis oben ist ausgelassen: Ein späteres ersetzt es</numerusform>
            <numerusform>%Ln Werkzeugergebnisse oben sind ausgelassen: Spätere ersetzen sie</numerusform>
        </translation>
    </message>
    <message>
        <source>Show all ({0})</source>
        <translation>Alles zeigen ({0})</translation>
    </message>
    <message numerus="yes">
        <source>Modified %Ln files</source>
        <translation>
            <numerusform>%Ln Datei geändert</numerusform>
            <numerusform>%Ln Dateien geändert</numerusform>
        </translation>
    </message>
    <message>
        <source>Thought for {time}</source>
        <translation>{time} nachgedacht</translation>
    </message>
    <message>
        <source>{seconds} s</source>
        <translation>{seconds} s</translation>
    </message>
    <message>
        <source>{minutes} min {seconds} s</source>
        <translation>{minutes} min {seconds} s</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Save…</source>
        <translation>Speichern …</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>streaming</source>
        <translation>wird empfangen</translation>
    </message>
    <message>
        <source>streaming · ≈ {rate} tok/s</source>
        <translation>wird empfangen · ≈ {rate} Tok/s</translation>
    </message>
    <message>
        <source>Do not wrap long lines</source>
        <translation>Lange Zeilen nicht umbrechen</translation>
    </message>
    <message>
        <source>Wrap long lines</source>
        <translation>Lange Zeilen umbrechen</translation>
    </message>
    <message>
        <source>Open its transcript</source>
        <translation>Seinen Verlauf öffnen</translation>
    </message>
    <message numerus="yes">
        <source>%Ln more files</source>
        <translation>
            <numerusform>%Ln weitere Datei</numerusform>
            <numerusform>%Ln weitere Dateien</numerusform>
        </translation>
    </message>
    <message>
        <source>Result</source>
        <translation>Ergebnis</translation>
    </message>
    <message>
        <source>New file</source>
        <translation>Neue Datei</translation>
    </message>
    <message>
        <source>Deleted</source>
        <translation>Gelöscht</translation>
    </message>
    <message>
        <source>no result yet</source>
        <translation>noch kein Ergebnis</translation>
    </message>
    <message>
        <source>nothing found</source>
        <translation>nichts gefunden</translation>
    </message>
    <message numerus="yes">
        <source>%Ln passed</source>
        <translation>
            <numerusform>%Ln bestanden</numerusform>
            <numerusform>%Ln bestanden</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln failed</source>
        <translation>
            <numerusform>%Ln gescheitert</numerusform>
            <numerusform>%Ln gescheitert</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln matches</source>
        <translation>
            <numerusform>%Ln Treffer</numerusform>
            <numerusform>%Ln Treffer</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln files</source>
        <translation>
            <numerusform>%Ln Datei</numerusform>
            <numerusform>%Ln Dateien</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln items</source>
        <comment>files and folders</comment>
        <translation>
            <numerusform>%Ln Eintrag</numerusform>
            <numerusform>%Ln Einträge</numerusform>
        </translation>
    </message>
    <message>
        <source>Error</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>{done} of {count} done</source>
        <translation>{done} von {count} erledigt</translation>
    </message>
    <message numerus="yes">
        <source>%Ln more tasks</source>
        <translation>
            <numerusform>%Ln weitere Aufgabe</numerusform>
            <numerusform>%Ln weitere Aufgaben</numerusform>
        </translation>
    </message>
    <message>
        <source>Pages</source>
        <translation>Seiten</translation>
    </message>
    <message>
        <source>{percent} cached</source>
        <translation>{percent} aus dem Cache</translation>
    </message>
    <message>
        <source>of which thinking {count}</source>
        <translation>davon Denken {count}</translation>
    </message>
    <message>
        <source>First token after {seconds} s</source>
        <translation>Erstes Token nach {seconds} s</translation>
    </message>
    <message>
        <source>Cache missed: {reason}</source>
        <translation>Cache verfehlt: {reason}</translation>
    </message>
    <message>
        <source>the system prompt changed</source>
        <translation>der System-Prompt wurde geändert</translation>
    </message>
    <message>
        <source>the tools changed</source>
        <translation>die Werkzeuge wurden geändert</translation>
    </message>
    <message>
        <source>earlier messages changed</source>
        <translation>frühere Nachrichten wurden geändert</translation>
    </message>
    <message>
        <source>the model changed</source>
        <translation>das Modell wurde gewechselt</translation>
    </message>
    <message>
        <source>Text that is not shown above</source>
        <translation>Text, der oben nicht gezeigt wird</translation>
    </message>
    <message numerus="yes">
        <source>Show %Ln more calls</source>
        <translation>
            <numerusform>%Ln weiteren Aufruf zeigen</numerusform>
            <numerusform>%Ln weitere Aufrufe zeigen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Read %Ln files</source>
        <translation>
            <numerusform>%Ln Datei gelesen</numerusform>
            <numerusform>%Ln Dateien gelesen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>modified %Ln</source>
        <translation>
            <numerusform>%Ln geändert</numerusform>
            <numerusform>%Ln geändert</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln open tasks</source>
        <translation>
            <numerusform>%Ln offene Aufgabe</numerusform>
            <numerusform>%Ln offene Aufgaben</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>… %Ln more lines</source>
        <translation>
            <numerusform>… %Ln weitere Zeile</numerusform>
            <numerusform>… %Ln weitere Zeilen</numerusform>
        </translation>
    </message>
    <message>
        <source>Sent with the next request</source>
        <translation>Geht mit der nächsten Anfrage mit</translation>
    </message>
    <message>
        <source>Stopped before it was complete</source>
        <translation>Vor dem Ende angehalten</translation>
    </message>
    <message>
        <source>The model refused to continue</source>
        <translation>Das Modell hat abgelehnt</translation>
    </message>
    <message>
        <source>Continue the reply in a sibling entry</source>
        <translation>Antwort in einem Geschwistereintrag fortsetzen</translation>
    </message>
    <message>
        <source>Open the setting for the longest reply</source>
        <translation>Einstellung der längsten Antwort öffnen</translation>
    </message>
    <message>
        <source>Summary of the abandoned branch</source>
        <translation>Zusammenfassung des verlassenen Zweigs</translation>
    </message>
    <message>
        <source>Signed by its provider, which receives it unchanged</source>
        <translation>Vom Anbieter signiert, der es unverändert zurückbekommt</translation>
    </message>
    <message>
        <source>Move the leaf to the entry before this compaction</source>
        <translation>Das Blatt vor diese Verdichtung setzen</translation>
    </message>
    <message>
        <source>Actions for this entry</source>
        <translation>Aktionen für diesen Eintrag</translation>
    </message>
    <message>
        <source>Summarised by ◆</source>
        <translation>Zusammengefasst in ◆</translation>
    </message>
    <message>
        <source>Pruned: only the tool’s name is sent</source>
        <translation>Ausgelassen: Nur der Name des Werkzeugs wird gesendet</translation>
    </message>
    <message>
        <source>Pinned: sent word for word</source>
        <translation>Angeheftet: wird wörtlich gesendet</translation>
    </message>
    <message>
        <source>Never sent: not a message</source>
        <translation>Nie gesendet: keine Nachricht</translation>
    </message>
    <message>
        <source>Never sent: hidden from the model</source>
        <translation>Nie gesendet: vor dem Modell verborgen</translation>
    </message>
    <message>
        <source>Never sent: stopped, or ended in an error</source>
        <translation>Nie gesendet: angehalten oder mit Fehler beendet</translation>
    </message>
    <message>
        <source>Never sent: empty</source>
        <translation>Nie gesendet: leer</translation>
    </message>
    <message>
        <source>Never sent: excluded</source>
        <translation>Nie gesendet: ausgeschlossen</translation>
    </message>
    <message>
        <source>Never sent</source>
        <translation>Nie gesendet</translation>
    </message>
    <message>
        <source>Model: {model}</source>
        <translation>Modell: {model}</translation>
    </message>
    <message numerus="yes">
        <source>%Ln characters</source>
        <translation>
            <numerusform>%Ln Zeichen</numerusform>
            <numerusform>%Ln Zeichen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln tokens a second</source>
        <translation>
            <numerusform>%Ln Token je Sekunde</numerusform>
            <numerusform>%Ln Tokens je Sekunde</numerusform>
        </translation>
    </message>
    <message>
        <source>signed</source>
        <translation>signiert</translation>
    </message>
    <message>
        <source>Thinking: {level}</source>
        <translation>Denken: {level}</translation>
    </message>
    <message>
        <source>System</source>
        <translation>System</translation>
    </message>
    <message>
        <source>Show all ({size} kB)</source>
        <translation>Alles zeigen ({size} kB)</translation>
    </message>
    <message>
        <source>Thought, hidden by the provider</source>
        <translation>Gedanke, vom Anbieter verborgen</translation>
    </message>
    <message>
        <source>Thought</source>
        <translation>Gedanke</translation>
    </message>
    <message>
        <source>Image: {name}</source>
        <translation>Bild: {name}</translation>
    </message>
    <message>
        <source>not sent</source>
        <translation>nicht gesendet</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>abgebrochen</translation>
    </message>
    <message>
        <source>exit {code}</source>
        <translation>Exit {code}</translation>
    </message>
    <message>
        <source>Thinking…</source>
        <translation>Denkt …</translation>
    </message>
    <message>
        <source>tool</source>
        <translation>Werkzeug</translation>
    </message>
    <message>
        <source>More</source>
        <translation>Mehr</translation>
    </message>
    <message>
        <source>Copy this code</source>
        <translation>Diesen Code kopieren</translation>
    </message>
    <message>
        <source>Arguments</source>
        <translation>Argumente</translation>
    </message>
    <message>
        <source>Pinned: compactions keep this entry</source>
        <translation>Angeheftet: Verdichtungen behalten diesen Eintrag</translation>
    </message>
    <message>
        <source>Two files have different texts for this entry. Both are kept.</source>
        <translation>Zwei Dateien haben verschiedene Texte für diesen Eintrag. Beide bleiben erhalten.</translation>
    </message>
    <message>
        <source>Pin: compactions keep this entry</source>
        <translation>Anheften: Verdichtungen behalten diesen Eintrag</translation>
    </message>
    <message>
        <source>Edit and send as a new branch</source>
        <translation>Bearbeiten und als neuen Zweig senden</translation>
    </message>
    <message>
        <source>Regenerate: request another reply as a sibling</source>
        <translation>Neu erzeugen: weitere Antwort als Geschwistereintrag anfordern</translation>
    </message>
    <message>
        <source>Tool outputs above are pruned from the context</source>
        <translation>Werkzeugausgaben oben sind aus dem Kontext ausgelassen</translation>
    </message>
    <message>
        <source>An entry above is excluded from the context</source>
        <translation>Ein Eintrag oben ist vom Kontext ausgeschlossen</translation>
    </message>
    <message>
        <source>An entry above is cut: only its beginning and end are sent</source>
        <translation>Ein Eintrag oben ist gekürzt: nur Anfang und Ende werden gesendet</translation>
    </message>
    <message>
        <source>An entry above is sent in full again</source>
        <translation>Ein Eintrag oben wird wieder vollständig gesendet</translation>
    </message>
    <message>
        <source>Storing notes in memory before a compaction</source>
        <translation>Notizen werden vor einer Verdichtung ins Gedächtnis geschrieben</translation>
    </message>
    <message>
        <source>View image</source>
        <translation>Bild ansehen</translation>
    </message>
    <message>
        <source>Stop and keep the received part</source>
        <translation>Anhalten und den empfangenen Teil behalten</translation>
    </message>
    <message>
        <source>Streaming reply</source>
        <translation>Laufende Antwort</translation>
    </message>
    <message>
        <source>Instructions</source>
        <translation>Anweisungen</translation>
    </message>
    <message>
        <source>error</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>image</source>
        <translation>Bild</translation>
    </message>
    <message numerus="yes">
        <source>%Ln lines</source>
        <translation>
            <numerusform>%Ln Zeile</numerusform>
            <numerusform>%Ln Zeilen</numerusform>
        </translation>
    </message>
    <message>
        <source>Query</source>
        <translation>Anfrage</translation>
    </message>
    <message>
        <source>Unknown entry: {kind}</source>
        <translation>Unbekannter Eintrag: {kind}</translation>
    </message>
    <message>
        <source>Unknown entry</source>
        <translation>Unbekannter Eintrag</translation>
    </message>
</context>
<context>
    <name>ChatController</name>
    <message>
        <source>A new session was created.</source>
        <translation>Eine neue Sitzung wurde angelegt.</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>Zeigen</translation>
    </message>
    <message>
        <source>The conversation goes on in a new session.</source>
        <translation>Die Unterhaltung geht in einer neuen Sitzung weiter.</translation>
    </message>
    <message>
        <source>Show the old session</source>
        <translation>Alte Sitzung zeigen</translation>
    </message>
</context>
<context>
    <name>CleanUpNotice</name>
    <message>
        <source>Import now</source>
        <translation>Jetzt importieren</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message numerus="yes">
        <source>%Ln sessions are not in the archive</source>
        <translation>
            <numerusform>%Ln Sitzung ist nicht im Archiv</numerusform>
            <numerusform>%Ln Sitzungen sind nicht im Archiv</numerusform>
        </translation>
    </message>
    <message>
        <source>{0} deletes sessions {1} days after their last use. {2}, and may be deleted now.</source>
        <translation>{0} löscht Sitzungen {1} Tage nach ihrer letzten Benutzung. {2}; die Löschung ist jetzt möglich.</translation>
    </message>
    <message>
        <source>{0} deletes sessions {1} days after their last use. {2}, and may be deleted from {3} on.</source>
        <translation>{0} löscht Sitzungen {1} Tage nach ihrer letzten Benutzung. {2}; die Löschung ist ab dem {3} möglich.</translation>
    </message>
</context>
<context>
    <name>ColumnKeys</name>
    <message>
        <source>Next row</source>
        <translation>Nächste Zeile</translation>
    </message>
    <message>
        <source>Previous row</source>
        <translation>Vorige Zeile</translation>
    </message>
    <message>
        <source>A page down</source>
        <translation>Eine Seite nach unten</translation>
    </message>
    <message>
        <source>A page up</source>
        <translation>Eine Seite nach oben</translation>
    </message>
    <message>
        <source>First row</source>
        <translation>Erste Zeile</translation>
    </message>
    <message>
        <source>Last row</source>
        <translation>Letzte Zeile</translation>
    </message>
    <message>
        <source>Select further rows</source>
        <translation>Weitere Zeilen auswählen</translation>
    </message>
    <message>
        <source>Unfold, then the first row below</source>
        <translation>Ausklappen, dann zur ersten Zeile darunter</translation>
    </message>
    <message>
        <source>Fold, then the row above</source>
        <translation>Einklappen, dann zur Zeile darüber</translation>
    </message>
    <message>
        <source>Fold or unfold</source>
        <translation>Aus- oder einklappen</translation>
    </message>
    <message>
        <source>Move to trash</source>
        <translation>In den Papierkorb</translation>
    </message>
    <message>
        <source>Go from the list to the filter</source>
        <translation>Von der Liste zum Filter gehen</translation>
    </message>
    <message>
        <source>Go from the filter to the list</source>
        <translation>Vom Filter zur Liste gehen</translation>
    </message>
    <message>
        <source>Open the first session found</source>
        <translation>Die erste gefundene Sitzung öffnen</translation>
    </message>
    <message>
        <source>Clear the filter</source>
        <translation>Den Filter leeren</translation>
    </message>
    <message>
        <source>Menu of the session</source>
        <translation>Menü der Sitzung</translation>
    </message>
    <message>
        <source>Start a new line</source>
        <translation>Eine neue Zeile beginnen</translation>
    </message>
    <message>
        <source>Previous message of the session, or the queued one</source>
        <translation>Vorige Nachricht der Sitzung, oder die wartende</translation>
    </message>
    <message>
        <source>Next message of the session</source>
        <translation>Nächste Nachricht der Sitzung</translation>
    </message>
    <message>
        <source>Stop the reply</source>
        <translation>Die Antwort anhalten</translation>
    </message>
    <message>
        <source>List the commands</source>
        <translation>Die Befehle auflisten</translation>
    </message>
    <message>
        <source>Complete a command</source>
        <translation>Einen Befehl vervollständigen</translation>
    </message>
    <message>
        <source>Chart: previous entry</source>
        <translation>Diagramm: voriger Eintrag</translation>
    </message>
    <message>
        <source>Chart: next entry</source>
        <translation>Diagramm: nächster Eintrag</translation>
    </message>
    <message>
        <source>Chart: previous turn</source>
        <translation>Diagramm: vorige Runde</translation>
    </message>
    <message>
        <source>Chart: next turn</source>
        <translation>Diagramm: nächste Runde</translation>
    </message>
    <message>
        <source>Chart: previous compaction</source>
        <translation>Diagramm: vorige Verdichtung</translation>
    </message>
    <message>
        <source>Chart: next compaction</source>
        <translation>Diagramm: nächste Verdichtung</translation>
    </message>
    <message>
        <source>Chart: first entry</source>
        <translation>Diagramm: erster Eintrag</translation>
    </message>
    <message>
        <source>Chart: last entry</source>
        <translation>Diagramm: letzter Eintrag</translation>
    </message>
    <message>
        <source>Go to the entry of a row</source>
        <translation>Zum Eintrag einer Zeile gehen</translation>
    </message>
    <message>
        <source>Next control</source>
        <translation>Nächstes Bedienelement</translation>
    </message>
    <message>
        <source>Previous control</source>
        <translation>Voriges Bedienelement</translation>
    </message>
    <message>
        <source>Go into the card, to its foldable lines</source>
        <translation>In die Karte, zu ihren klappbaren Zeilen</translation>
    </message>
    <message>
        <source>In a card: next foldable line</source>
        <translation>In der Karte: nächste klappbare Zeile</translation>
    </message>
    <message>
        <source>In a card: previous foldable line</source>
        <translation>In der Karte: vorige klappbare Zeile</translation>
    </message>
    <message>
        <source>In a card: unfold, then the first line in it</source>
        <translation>In der Karte: ausklappen, dann die erste Zeile darin</translation>
    </message>
    <message>
        <source>In a card: fold, then the line around it</source>
        <translation>In der Karte: einklappen, dann die Zeile darum</translation>
    </message>
    <message>
        <source>In a card: fold or unfold the line</source>
        <translation>In der Karte: die Zeile aus- oder einklappen</translation>
    </message>
    <message>
        <source>In a card: back to the whole card</source>
        <translation>In der Karte: zurück zur ganzen Karte</translation>
    </message>
    <message>
        <source>Cut line of a preview: one entry up</source>
        <translation>Schnittlinie einer Vorschau: einen Eintrag nach oben</translation>
    </message>
    <message>
        <source>Cut line of a preview: one entry down</source>
        <translation>Schnittlinie einer Vorschau: einen Eintrag nach unten</translation>
    </message>
    <message>
        <source>Cut line of a preview: pin the entry above</source>
        <translation>Schnittlinie einer Vorschau: den Eintrag darüber anheften</translation>
    </message>
    <message>
        <source>Open the hit or the saved search</source>
        <translation>Treffer oder gespeicherte Suche öffnen</translation>
    </message>
    <message>
        <source>Remove a saved search</source>
        <translation>Eine gespeicherte Suche entfernen</translation>
    </message>
    <message>
        <source>Close the search</source>
        <translation>Die Suche schließen</translation>
    </message>
    <message>
        <source>Select further lines</source>
        <translation>Weitere Zeilen auswählen</translation>
    </message>
    <message>
        <source>Copy the selected lines</source>
        <translation>Die ausgewählten Zeilen kopieren</translation>
    </message>
    <message>
        <source>Next change</source>
        <translation>Nächste Änderung</translation>
    </message>
    <message>
        <source>Previous change</source>
        <translation>Vorige Änderung</translation>
    </message>
    <message>
        <source>Time line: previous step; text: scroll left</source>
        <translation>Zeitleiste: voriger Schritt; Text: nach links blättern</translation>
    </message>
    <message>
        <source>Time line: next step; text: scroll right</source>
        <translation>Zeitleiste: nächster Schritt; Text: nach rechts blättern</translation>
    </message>
    <message>
        <source>Clear the filter, or close the page</source>
        <translation>Den Filter leeren oder die Seite schließen</translation>
    </message>
    <message>
        <source>Next turn</source>
        <translation>Nächste Runde</translation>
    </message>
    <message>
        <source>Previous turn</source>
        <translation>Vorige Runde</translation>
    </message>
    <message>
        <source>First turn</source>
        <translation>Erste Runde</translation>
    </message>
    <message>
        <source>Last turn</source>
        <translation>Letzte Runde</translation>
    </message>
    <message>
        <source>Left side</source>
        <translation>Linke Seite</translation>
    </message>
    <message>
        <source>Right side</source>
        <translation>Rechte Seite</translation>
    </message>
    <message>
        <source>Continue from the turn</source>
        <translation>Ab der Runde fortfahren</translation>
    </message>
    <message>
        <source>Send the prompt of the turn again on the other branch</source>
        <translation>Den Prompt der Runde auf dem anderen Zweig noch einmal senden</translation>
    </message>
    <message>
        <source>Copy the text of the turn</source>
        <translation>Den Text der Runde kopieren</translation>
    </message>
    <message>
        <source>Close the comparison</source>
        <translation>Den Vergleich schließen</translation>
    </message>
</context>
<context>
    <name>CommandController</name>
    <message>
        <source>The command “/{0}” is done.</source>
        <translation>Der Befehl „/{0}“ ist ausgeführt.</translation>
    </message>
    <message>
        <source>Show session</source>
        <translation>Sitzung zeigen</translation>
    </message>
    <message>
        <source>/{0} has no effect here.</source>
        <translation>/{0} bewirkt hier nichts.</translation>
    </message>
    <message>
        <source>Unknown command {0}. Did you mean {1}? Nothing was sent.</source>
        <translation>Unbekannter Befehl {0}. Meintest du {1}? Nichts wurde gesendet.</translation>
    </message>
    <message>
        <source>Unknown command {0}. /help lists all commands. Nothing was sent.</source>
        <translation>Unbekannter Befehl {0}. /help nennt alle Befehle. Nichts wurde gesendet.</translation>
    </message>
</context>
<context>
    <name>CommandPalette</name>
    <message>
        <source>Command palette</source>
        <translation>Befehlspalette</translation>
    </message>
    <message>
        <source>Search or run a command</source>
        <translation>Suchen oder Befehl ausführen</translation>
    </message>
    <message>
        <source>No matches.</source>
        <translation>Keine Treffer.</translation>
    </message>
    <message>
        <source>Results</source>
        <translation>Ergebnisse</translation>
    </message>
</context>
<context>
    <name>Commands</name>
    <message>
        <source>Show the model, the size of the context, and the run</source>
        <translation>Modell, Größe des Kontexts und Lauf zeigen</translation>
    </message>
    <message>
        <source>Start another chat</source>
        <translation>Anderen Chat beginnen</translation>
    </message>
    <message>
        <source>Start another chat; this one stays in the list</source>
        <translation>Anderen Chat beginnen; dieser bleibt in der Liste</translation>
    </message>
    <message>
        <source>Begin a new session of this conversation; /reset back returns to the previous session</source>
        <translation>Eine neue Sitzung dieser Unterhaltung beginnen; /reset back führt zur vorigen zurück</translation>
    </message>
    <message>
        <source>Preview a compaction</source>
        <translation>Vorschau einer Verdichtung zeigen</translation>
    </message>
    <message>
        <source>Resume another session: in full if it fits, otherwise from a summary</source>
        <translation>Eine andere Sitzung fortsetzen: vollständig, wenn sie passt, sonst ab einer Zusammenfassung</translation>
    </message>
    <message>
        <source>Label the current leaf</source>
        <translation>Das aktuelle Blatt beschriften</translation>
    </message>
    <message>
        <source>Show the context of the next request</source>
        <translation>Den Kontext der nächsten Anfrage zeigen</translation>
    </message>
    <message>
        <source>Choose a thinking level</source>
        <translation>Denkstufe wählen</translation>
    </message>
    <message>
        <source>Choose which notices this session shows: off, on or full</source>
        <translation>Wählen, welche Meldungen diese Sitzung zeigt: off, on oder full</translation>
    </message>
    <message>
        <source>Stop the reply</source>
        <translation>Antwort anhalten</translation>
    </message>
    <message>
        <source>Prune old tool output, or only duplicates, from the context</source>
        <translation>Alte Werkzeugausgaben, oder nur doppelte, aus dem Kontext auslassen</translation>
    </message>
    <message>
        <source>Go to the branches</source>
        <translation>Zu den Zweigen gehen</translation>
    </message>
    <message>
        <source>Fork this branch to a session of its own</source>
        <translation>Diesen Zweig in eine eigene Sitzung abzweigen</translation>
    </message>
    <message>
        <source>Name the session</source>
        <translation>Sitzung benennen</translation>
    </message>
    <message>
        <source>Choose a model</source>
        <translation>Modell wählen</translation>
    </message>
    <message>
        <source>Choose the model that writes summaries of this session</source>
        <translation>Das Modell wählen, das Zusammenfassungen dieser Sitzung schreibt</translation>
    </message>
    <message>
        <source>List the skills of the chosen folders</source>
        <translation>Skills der gewählten Ordner auflisten</translation>
    </message>
    <message>
        <source>Activate a skill in this session; /skill NAME off deactivates it</source>
        <translation>Skill in dieser Sitzung aktivieren; /skill NAME off deaktiviert ihn</translation>
    </message>
    <message>
        <source>Export the session</source>
        <translation>Sitzung exportieren</translation>
    </message>
    <message>
        <source>List the commands</source>
        <translation>Befehle aufzählen</translation>
    </message>
</context>
<context>
    <name>CompactPreview</name>
    <message>
        <source>Compact preview</source>
        <translation>Verdichtungsvorschau</translation>
    </message>
    <message>
        <source>Summarise</source>
        <translation>Zusammenfassen</translation>
    </message>
    <message>
        <source>Prune tool output first</source>
        <translation>Erst Ausgaben auslassen</translation>
    </message>
    <message>
        <source>Compact…</source>
        <translation>Verdichten …</translation>
    </message>
    <message>
        <source>Prune only</source>
        <translation>Nur auslassen</translation>
    </message>
    <message>
        <source>Open a session to see what a compaction would do.</source>
        <translation>Öffne eine Sitzung, um zu sehen, was eine Verdichtung bewirkt.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln entries</source>
        <translation>
            <numerusform>%Ln Eintrag</numerusform>
            <numerusform>%Ln Einträge</numerusform>
        </translation>
    </message>
    <message>
        <source>Reading the session…</source>
        <translation>Die Sitzung wird gelesen …</translation>
    </message>
    <message>
        <source>Before</source>
        <translation>Vorher</translation>
    </message>
    <message>
        <source>After</source>
        <translation>Nachher</translation>
    </message>
</context>
<context>
    <name>CompactionController</name>
    <message>
        <source>Only the active branch can be compacted. Continue from there first.</source>
        <translation>Nur der aktive Zweig kann verdichtet werden. Fahre zuerst von dort fort.</translation>
    </message>
    <message>
        <source>A compaction must keep at least one entry. Choose an entry above the last one.</source>
        <translation>Eine Verdichtung muss mindestens einen Eintrag behalten. Wähle einen Eintrag über dem letzten.</translation>
    </message>
    <message>
        <source>Only the active branch can be summarised. Continue from there first.</source>
        <translation>Nur der aktive Zweig kann zusammengefasst werden. Fahre zuerst von dort fort.</translation>
    </message>
    <message>
        <source>Only cuts with the summary above them can be compared.</source>
        <translation>Nur Schnitte, über denen zusammengefasst wird, lassen sich vergleichen.</translation>
    </message>
    <message>
        <source>Cut A is kept. Move the cut line to set cut B.</source>
        <translation>Schnitt A bleibt stehen. Verschieb die Schnittlinie, um Schnitt B zu setzen.</translation>
    </message>
    <message>
        <source>Your summary was not used.</source>
        <translation>Deine Zusammenfassung wurde nicht verwendet.</translation>
    </message>
    <message>
        <source>Edit again</source>
        <translation>Weiter bearbeiten</translation>
    </message>
</context>
<context>
    <name>CompactionReports</name>
    <message>
        <source>Continued in a new session ({0} → {1}). The old session is unchanged.</source>
        <translation>In einer neuen Sitzung fortgefahren ({0} → {1}). Die alte Sitzung ist unverändert.</translation>
    </message>
    <message>
        <source>Summarised {0} → {1}. The branch is kept beside its summary.</source>
        <translation>Zusammengefasst: {0} → {1}. Der Zweig bleibt neben seiner Zusammenfassung erhalten.</translation>
    </message>
    <message>
        <source>Compacted {0} → {1}. The whole branch is kept.</source>
        <translation>Verdichtet {0} → {1}. Der ganze Zweig bleibt erhalten.</translation>
    </message>
</context>
<context>
    <name>CompactionSummary</name>
    <message>
        <source>Nothing is deleted. Undo brings the whole context back.</source>
        <translation>Nichts wird gelöscht. „Rückgängig“ bringt den ganzen Kontext zurück.</translation>
    </message>
    <message>
        <source>Breaks the prompt cache once (≈ {once}); then saves ≈ {each} a request</source>
        <translation>Bricht einmal den Prompt-Cache (≈ {once}); spart dann ≈ {each} je Anfrage</translation>
    </message>
    <message>
        <source>{0} writes the summaries of this session.</source>
        <translation>{0} schreibt die Zusammenfassungen dieser Sitzung.</translation>
    </message>
    <message>
        <source>No model is chosen. Choose one, so that its provider can summarise.</source>
        <translation>Kein Modell ist gewählt. Wähle eines, damit sein Anbieter zusammenfassen kann.</translation>
    </message>
    <message>
        <source>A provider’s own summary can only replace everything above a cut.</source>
        <translation>Eine Zusammenfassung des Anbieters kann nur alles oberhalb eines Schnitts ersetzen.</translation>
    </message>
    <message>
        <source>Checking whether the provider can summarise…</source>
        <translation>Prüft, ob der Anbieter zusammenfassen kann …</translation>
    </message>
    <message>
        <source>digest · {0}</source>
        <translation>Auszug · {0}</translation>
    </message>
    <message>
        <source>previous summary</source>
        <translation>vorige Zusammenfassung</translation>
    </message>
    <message>
        <source>no focus</source>
        <translation>ohne Schwerpunkt</translation>
    </message>
    <message>
        <source>Edited: the summary is sent as plain text, without the signature.</source>
        <translation>Bearbeitet: die Zusammenfassung wird als Text ohne Signatur gesendet.</translation>
    </message>
    <message>
        <source>Signed by “{0}”.</source>
        <translation>Signiert von „{0}“.</translation>
    </message>
    <message>
        <source>The model read {0} tokens and wrote {1}.</source>
        <translation>Das Modell las {0} Tokens und schrieb {1}.</translation>
    </message>
    <message>
        <source>{0} s</source>
        <translation>{0} s</translation>
    </message>
    <message numerus="yes">
        <source>%Ln tokens</source>
        <translation>
            <numerusform>%Ln Token</numerusform>
            <numerusform>%Ln Tokens</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Compare</name>
    <message>
        <source>Read, not changed</source>
        <translation>Gelesen, nicht geändert</translation>
    </message>
    <message numerus="yes">
        <source>… and %Ln more</source>
        <translation>
            <numerusform>… und %Ln weitere</numerusform>
            <numerusform>… und %Ln weitere</numerusform>
        </translation>
    </message>
    <message>
        <source>{0} (read, not changed)</source>
        <translation>{0} (gelesen, nicht geändert)</translation>
    </message>
    <message>
        <source>both</source>
        <translation>beide</translation>
    </message>
    <message>
        <source>both, but not changed in {0}</source>
        <translation>beide, aber in {0} nicht geändert</translation>
    </message>
    <message>
        <source>{0} only</source>
        <translation>nur {0}</translation>
    </message>
    <message numerus="yes">
        <source>Show %Ln more entries</source>
        <translation>
            <numerusform>%Ln weiteren Eintrag zeigen</numerusform>
            <numerusform>%Ln weitere Einträge zeigen</numerusform>
        </translation>
    </message>
    <message>
        <source>Show all of this turn</source>
        <translation>Diese Runde ganz zeigen</translation>
    </message>
    <message>
        <source>{0} s</source>
        <translation>{0} s</translation>
    </message>
    <message numerus="yes">
        <source>Only the beginning of long texts is compared; %Ln characters are not.</source>
        <translation>
            <numerusform>Von langen Texten wird nur der Anfang verglichen; %Ln Zeichen nicht.</numerusform>
            <numerusform>Von langen Texten wird nur der Anfang verglichen; %Ln Zeichen nicht.</numerusform>
        </translation>
    </message>
    <message>
        <source>Neither branch used a file.</source>
        <translation>Keiner der Zweige hat eine Datei benutzt.</translation>
    </message>
    <message>
        <source>{0} min</source>
        <translation>{0} min</translation>
    </message>
    <message>
        <source>{0} h {1} min</source>
        <translation>{0} h {1} min</translation>
    </message>
    <message>
        <source>{0} h</source>
        <translation>{0} h</translation>
    </message>
    <message numerus="yes">
        <source>%Ln tools</source>
        <translation>
            <numerusform>%Ln Werkzeug</numerusform>
            <numerusform>%Ln Werkzeuge</numerusform>
        </translation>
    </message>
    <message>
        <source>Turns</source>
        <translation>Runden</translation>
    </message>
    <message>
        <source>Tool calls</source>
        <translation>Werkzeugaufrufe</translation>
    </message>
    <message>
        <source>Failed commands</source>
        <translation>Fehlgeschlagene Befehle</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>Tokens</translation>
    </message>
    <message>
        <source>Cost</source>
        <translation>Kosten</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
</context>
<context>
    <name>CompareController</name>
    <message>
        <source>This entry is on the active branch. Choose an entry of another branch to compare.</source>
        <translation>Dieser Eintrag liegt auf dem aktiven Zweig. Wähle einen Eintrag eines anderen Zweigs.</translation>
    </message>
    <message>
        <source>main</source>
        <translation>Hauptzweig</translation>
    </message>
    <message>
        <source>branch</source>
        <translation>Zweig</translation>
    </message>
    <message>
        <source>The leaf moved to the other branch.</source>
        <translation>Das Blatt liegt jetzt auf dem anderen Zweig.</translation>
    </message>
    <message>
        <source>Copied the prompt as a new entry. The next reply answers the copy.</source>
        <translation>Die Frage ist als neuer Eintrag kopiert. Die nächste Antwort beantwortet die Kopie.</translation>
    </message>
</context>
<context>
    <name>CompareList</name>
    <message>
        <source>Turns of two branches</source>
        <translation>Runden zweier Zweige</translation>
    </message>
    <message>
        <source>{0}: no turn</source>
        <translation>{0}: keine Runde</translation>
    </message>
    <message>
        <source>{0}, turn {1}: {2}</source>
        <translation>{0}, Runde {1}: {2}</translation>
    </message>
    <message>
        <source>Nothing to show</source>
        <translation>Nichts anzuzeigen</translation>
    </message>
    <message>
        <source>No turn here</source>
        <translation>Hier keine Runde</translation>
    </message>
</context>
<context>
    <name>CompareView</name>
    <message>
        <source>Compare</source>
        <translation>Vergleich</translation>
    </message>
    <message>
        <source>from “{0}”</source>
        <translation>ab „{0}“</translation>
    </message>
    <message>
        <source>from the start</source>
        <translation>von Anfang an</translation>
    </message>
    <message>
        <source>Close comparison</source>
        <translation>Vergleich schließen</translation>
    </message>
    <message>
        <source>Compared content</source>
        <translation>Verglichener Inhalt</translation>
    </message>
    <message>
        <source>Prompts</source>
        <translation>Prompts</translation>
    </message>
    <message>
        <source>Replies</source>
        <translation>Antworten</translation>
    </message>
    <message>
        <source>Tools</source>
        <translation>Werkzeuge</translation>
    </message>
    <message>
        <source>Files</source>
        <translation>Dateien</translation>
    </message>
    <message>
        <source>Nothing</source>
        <translation>Nichts</translation>
    </message>
</context>
<context>
    <name>CompletionList</name>
    <message>
        <source>Commands</source>
        <translation>Befehle</translation>
    </message>
</context>
<context>
    <name>Composer</name>
    <message>
        <source>Queue</source>
        <translation>Einreihen</translation>
    </message>
    <message>
        <source>Send (Enter)</source>
        <translation>Senden (Eingabe)</translation>
    </message>
    <message>
        <source>Connect a model to send. Drafts are kept.</source>
        <translation>Zum Senden ein Modell verbinden. Entwürfe bleiben erhalten.</translation>
    </message>
    <message>
        <source>Send after the current reply (Enter)</source>
        <translation>Nach der laufenden Antwort senden (Eingabe)</translation>
    </message>
    <message>
        <source>Drop to attach</source>
        <translation>Zum Anhängen loslassen</translation>
    </message>
    <message>
        <source>Send the first queued message (Enter)</source>
        <translation>Die erste wartende Nachricht senden (Eingabe)</translation>
    </message>
    <message>
        <source>{0}. Nothing was sent. Remove the marked attachments, or choose another model.</source>
        <translation>{0}. Nichts wurde gesendet. Entferne die markierten Anhänge oder wähle ein anderes Modell.</translation>
    </message>
    <message>
        <source>An attachment is still being read.</source>
        <translation>Ein Anhang wird noch gelesen.</translation>
    </message>
    <message>
        <source>Write a message first.</source>
        <translation>Schreibe zuerst eine Nachricht.</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>Senden</translation>
    </message>
</context>
<context>
    <name>ComposerFoot</name>
    <message>
        <source>Attach files</source>
        <translation>Dateien anhängen</translation>
    </message>
    <message>
        <source>Connect a model to send</source>
        <translation>Zum Senden ein Modell verbinden</translation>
    </message>
    <message>
        <source>Estimated size of the message</source>
        <translation>Geschätzte Größe der Nachricht</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>Senden</translation>
    </message>
    <message>
        <source>Choose a model</source>
        <translation>Modell wählen</translation>
    </message>
    <message>
        <source>Model: {0}</source>
        <translation>Modell: {0}</translation>
    </message>
    <message>
        <source>Thinking: {0} ▾</source>
        <translation>Denken: {0} ▾</translation>
    </message>
    <message>
        <source>Thinking: {0}</source>
        <translation>Denken: {0}</translation>
    </message>
    <message>
        <source>Skills: {0} ▾</source>
        <translation>Skills: {0} ▾</translation>
    </message>
    <message>
        <source>Skills ▾</source>
        <translation>Skills ▾</translation>
    </message>
    <message numerus="yes">
        <source>%Ln active skills</source>
        <translation>
            <numerusform>%Ln aktiver Skill</numerusform>
            <numerusform>%Ln aktive Skills</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln queued</source>
        <translation>
            <numerusform>%Ln eingereiht</numerusform>
            <numerusform>%Ln eingereiht</numerusform>
        </translation>
    </message>
    <message>
        <source>Show the queue</source>
        <translation>Warteschlange zeigen</translation>
    </message>
    <message>
        <source>Hide the queue</source>
        <translation>Warteschlange verbergen</translation>
    </message>
</context>
<context>
    <name>ComposerPlace</name>
    <message>
        <source>Write here</source>
        <translation>Hier schreiben</translation>
    </message>
</context>
<context>
    <name>Connect</name>
    <message>
        <source>with a key</source>
        <translation>mit Schlüssel</translation>
    </message>
    <message>
        <source>Other server…</source>
        <translation>Anderer Server …</translation>
    </message>
    <message>
        <source>any server with one of these APIs</source>
        <translation>jeder Server mit einer dieser Schnittstellen</translation>
    </message>
    <message>
        <source>default</source>
        <translation>Vorgabe</translation>
    </message>
    <message>
        <source>Connect {0}</source>
        <translation>{0} verbinden</translation>
    </message>
    <message>
        <source>Connect another server</source>
        <translation>Anderen Server verbinden</translation>
    </message>
    <message>
        <source>The key is taken from the environment variable {0}. Nothing is stored.</source>
        <translation>Der Schlüssel kommt aus der Umgebungsvariable {0}. Nichts wird gespeichert.</translation>
    </message>
    <message>
        <source>The key is in the keyring of this system. It is not shown again; a new key replaces it.</source>
        <translation>Der Schlüssel liegt im Schlüsselbund dieses Systems. Er wird nicht wieder angezeigt; ein neuer Schlüssel ersetzt ihn.</translation>
    </message>
    <message>
        <source>The key is not stored. {0}</source>
        <translation>Der Schlüssel ist nicht gespeichert. {0}</translation>
    </message>
    <message>
        <source>The key will not be stored. {0}</source>
        <translation>Der Schlüssel wird nicht gespeichert. {0}</translation>
    </message>
    <message>
        <source>A server on this machine usually needs no key.</source>
        <translation>Ein Server auf diesem Rechner braucht meist keinen Schlüssel.</translation>
    </message>
    <message>
        <source>The key will be kept in the keyring of this system, and nowhere else.</source>
        <translation>Der Schlüssel wird im Schlüsselbund dieses Systems aufbewahrt, und nirgendwo sonst.</translation>
    </message>
</context>
<context>
    <name>ConnectDialog</name>
    <message>
        <source>Connect a model</source>
        <translation>Modell verbinden</translation>
    </message>
    <message>
        <source>Connections</source>
        <translation>Verbindungen</translation>
    </message>
    <message>
        <source>Connected</source>
        <translation>Verbunden</translation>
    </message>
    <message>
        <source>Looking for servers…</source>
        <translation>Server werden gesucht …</translation>
    </message>
    <message>
        <source>No server found</source>
        <translation>Kein Server gefunden</translation>
    </message>
    <message>
        <source>On this machine</source>
        <translation>Auf diesem Rechner</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>Hinzufügen</translation>
    </message>
</context>
<context>
    <name>ConnectForm</name>
    <message>
        <source>Test</source>
        <translation>Testen</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Speichern</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Make default</source>
        <translation>Zur Vorgabe machen</translation>
    </message>
    <message>
        <source>Variable, proxy, certificates…</source>
        <translation>Variable, Proxy, Zertifikate …</translation>
    </message>
    <message>
        <source>Connect</source>
        <translation>Verbinden</translation>
    </message>
    <message>
        <source>Only if the server requires one</source>
        <translation>Nur falls der Server einen verlangt</translation>
    </message>
    <message>
        <source>A connection named {0} already exists.</source>
        <translation>Eine Verbindung namens {0} gibt es schon.</translation>
    </message>
    <message>
        <source>A new key replaces the stored one</source>
        <translation>Ein neuer Schlüssel ersetzt den gespeicherten</translation>
    </message>
    <message>
        <source>Not needed</source>
        <translation>Nicht nötig</translation>
    </message>
</context>
<context>
    <name>ConnectionController</name>
    <message>
        <source>Testing {0}…</source>
        <translation>{0} wird getestet …</translation>
    </message>
    <message>
        <source>The connection works.</source>
        <translation>Die Verbindung funktioniert.</translation>
    </message>
    <message>
        <source>Saving…</source>
        <translation>Wird gespeichert …</translation>
    </message>
    <message>
        <source>Saved. Asking the server for its models…</source>
        <translation>Gespeichert. Der Server wird nach seinen Modellen gefragt …</translation>
    </message>
    <message>
        <source>Saved. The server lists no models: enter the model to use.</source>
        <translation>Gespeichert. Der Server nennt keine Modelle: Gib das zu verwendende Modell ein.</translation>
    </message>
    <message>
        <source>Connected to {0} with the model {1}. You can choose another model below the message.</source>
        <translation>Verbunden mit {0} und dem Modell {1}. Unter der Nachricht kannst du ein anderes Modell wählen.</translation>
    </message>
    <message>
        <source>{0} was removed, and its key deleted. Sessions keep its replies.</source>
        <translation>{0} wurde entfernt und sein Schlüssel gelöscht. Die Sitzungen behalten die Antworten.</translation>
    </message>
</context>
<context>
    <name>ConsentPopup</name>
    <message>
        <source>Tool request</source>
        <translation>Werkzeuganfrage</translation>
    </message>
    <message>
        <source>Arguments</source>
        <translation>Argumente</translation>
    </message>
    <message>
        <source>Show all</source>
        <translation>Alles zeigen</translation>
    </message>
    <message numerus="yes">
        <source>%Ln more waiting</source>
        <translation>
            <numerusform>%Ln weiteres wartet</numerusform>
            <numerusform>%Ln weitere warten</numerusform>
        </translation>
    </message>
    <message>
        <source>In sessions of {0}</source>
        <translation>In Sitzungen von {0}</translation>
    </message>
    <message>
        <source>In sessions without a folder</source>
        <translation>In Sitzungen ohne Ordner</translation>
    </message>
    <message>
        <source>Allow in this session</source>
        <translation>In dieser Sitzung erlauben</translation>
    </message>
    <message>
        <source>Always allow here</source>
        <translation>Hier immer erlauben</translation>
    </message>
    <message>
        <source>Never allow here</source>
        <translation>Hier nie erlauben</translation>
    </message>
    <message>
        <source>The model wants to call {0} of {1}</source>
        <translation>Das Modell will {0} von {1} aufrufen</translation>
    </message>
    <message>
        <source>The tool writes files on this machine.</source>
        <translation>Das Werkzeug schreibt Dateien auf diesem Rechner.</translation>
    </message>
    <message>
        <source>The tool runs a program on this machine.</source>
        <translation>Das Werkzeug führt ein Programm auf diesem Rechner aus.</translation>
    </message>
    <message>
        <source>The arguments would be sent to another machine.</source>
        <translation>Die Argumente würden an einen anderen Rechner gesendet.</translation>
    </message>
    <message>
        <source>Folder: {0}</source>
        <translation>Ordner: {0}</translation>
    </message>
    <message>
        <source>Allow once</source>
        <translation>Einmal erlauben</translation>
    </message>
    <message>
        <source>Refuse</source>
        <translation>Ablehnen</translation>
    </message>
</context>
<context>
    <name>Context</name>
    <message>
        <source>{0} tokens</source>
        <translation>{0} Tokens</translation>
    </message>
    <message numerus="yes">
        <source>%Ln entries</source>
        <translation>
            <numerusform>%Ln Eintrag</numerusform>
            <numerusform>%Ln Einträge</numerusform>
        </translation>
    </message>
    <message>
        <source>saves {0} more</source>
        <translation>spart zusätzlich {0}</translation>
    </message>
    <message>
        <source>saves nothing more</source>
        <translation>spart nichts zusätzlich</translation>
    </message>
    <message>
        <source>The context would grow.</source>
        <translation>Der Kontext würde wachsen.</translation>
    </message>
    <message>
        <source>This would save only {0} of the context.</source>
        <translation>Das würde nur {0} des Kontexts sparen.</translation>
    </message>
    <message>
        <source>Next request: {0}</source>
        <translation>Nächste Anfrage: {0}</translation>
    </message>
    <message>
        <source>The file is read again further down.</source>
        <translation>Die Datei wird weiter unten noch einmal gelesen.</translation>
    </message>
    <message>
        <source>The file was changed since, and its new text is further down.</source>
        <translation>Die Datei wurde seitdem geändert, und ihr neuer Text steht weiter unten.</translation>
    </message>
    <message>
        <source>The same call is made again further down.</source>
        <translation>Derselbe Aufruf steht weiter unten noch einmal.</translation>
    </message>
    <message>
        <source>{0} token</source>
        <translation>{0} Token</translation>
    </message>
    <message>
        <source>System prompt</source>
        <translation>System-Prompt</translation>
    </message>
    <message>
        <source>Tool definitions</source>
        <translation>Werkzeugdefinitionen</translation>
    </message>
    <message>
        <source>Summaries</source>
        <translation>Zusammenfassungen</translation>
    </message>
    <message>
        <source>User</source>
        <translation>Benutzer</translation>
    </message>
    <message>
        <source>Assistant</source>
        <translation>Assistent</translation>
    </message>
    <message>
        <source>Too short to compact.</source>
        <translation>Zu kurz zum Verdichten.</translation>
    </message>
    <message>
        <source>Thinking</source>
        <translation>Denken</translation>
    </message>
    <message>
        <source>Tool calls</source>
        <translation>Werkzeugaufrufe</translation>
    </message>
    <message>
        <source>Tool results</source>
        <translation>Werkzeugergebnisse</translation>
    </message>
    <message>
        <source>Images</source>
        <translation>Bilder</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Gedächtnis</translation>
    </message>
    <message>
        <source>Window: {0}</source>
        <translation>Fenster: {0}</translation>
    </message>
    <message>
        <source>Compacts at {0}</source>
        <translation>Verdichtet ab {0}</translation>
    </message>
    <message>
        <source>Summary</source>
        <translation>Zusammenfassung</translation>
    </message>
    <message>
        <source>Prune only frees {0}.</source>
        <translation>„Nur auslassen“ macht {0} frei.</translation>
    </message>
    <message>
        <source>You</source>
        <translation>Du</translation>
    </message>
    <message>
        <source>Tool</source>
        <translation>Werkzeug</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Notiz</translation>
    </message>
    <message>
        <source>Skills</source>
        <translation>Skills</translation>
    </message>
    <message>
        <source>Reported by the provider with a reply</source>
        <translation>Vom Anbieter mit einer Antwort gemeldet</translation>
    </message>
    <message>
        <source>Counted by the provider</source>
        <translation>Vom Anbieter gezählt</translation>
    </message>
    <message>
        <source>Estimated from the text</source>
        <translation>Aus dem Text geschätzt</translation>
    </message>
    <message>
        <source>{0}%</source>
        <translation>{0} %</translation>
    </message>
</context>
<context>
    <name>ContextChart</name>
    <message>
        <source>Context over time</source>
        <translation>Kontext im Lauf der Zeit</translation>
    </message>
    <message>
        <source>window</source>
        <translation>Fenster</translation>
    </message>
    <message>
        <source>auto-compact</source>
        <translation>Verdichtung</translation>
    </message>
    <message>
        <source>{0} · {1} of {2}</source>
        <translation>{0} · {1} von {2}</translation>
    </message>
    <message>
        <source>Compacted {0} → {1}</source>
        <translation>Verdichtet {0} → {1}</translation>
    </message>
    <message>
        <source>Pruned {0} → {1}</source>
        <translation>Ausgelassen {0} → {1}</translation>
    </message>
    <message>
        <source>Estimated, adjusted to the last report</source>
        <translation>Geschätzt, an die letzte Meldung angepasst</translation>
    </message>
    <message>
        <source>Messages only, estimated</source>
        <translation>Nur Nachrichten, geschätzt</translation>
    </message>
    <message>
        <source>mostly {0}</source>
        <translation>vor allem {0}</translation>
    </message>
    <message numerus="yes">
        <source>compacted %Ln times</source>
        <translation>
            <numerusform>einmal verdichtet</numerusform>
            <numerusform>%Ln-mal verdichtet</numerusform>
        </translation>
    </message>
    <message>
        <source>never compacted</source>
        <translation>nie verdichtet</translation>
    </message>
    <message numerus="yes">
        <source>Size of the context over %Ln entries, at most {0}, {1}.</source>
        <translation>
            <numerusform>Größe des Kontexts über %Ln Eintrag, höchstens {0}, {1}.</numerusform>
            <numerusform>Größe des Kontexts über %Ln Einträge, höchstens {0}, {1}.</numerusform>
        </translation>
    </message>
    <message>
        <source>System and tools</source>
        <translation>System und Werkzeuge</translation>
    </message>
    <message>
        <source>{0} of {1} · {2}</source>
        <translation>{0} von {1} · {2}</translation>
    </message>
    <message>
        <source>Entry {0} of {1}</source>
        <translation>Eintrag {0} von {1}</translation>
    </message>
</context>
<context>
    <name>ContextColumn</name>
    <message>
        <source>Context</source>
        <translation>Kontext</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Thinking</source>
        <translation>Denken</translation>
    </message>
    <message>
        <source>Reserve</source>
        <translation>Reserve</translation>
    </message>
    <message>
        <source>Automatic compaction</source>
        <translation>Automatische Verdichtung</translation>
    </message>
    <message>
        <source>Next request</source>
        <translation>Nächste Anfrage</translation>
    </message>
    <message>
        <source>At the selected entry</source>
        <translation>Beim gewählten Eintrag</translation>
    </message>
    <message>
        <source>Now</source>
        <translation>Jetzt</translation>
    </message>
    <message>
        <source>Selected entry</source>
        <translation>Gewählter Eintrag</translation>
    </message>
    <message>
        <source>Which context is shown</source>
        <translation>Welcher Kontext gezeigt wird</translation>
    </message>
    <message>
        <source>Request</source>
        <translation>Anfrage</translation>
    </message>
</context>
<context>
    <name>ContextController</name>
    <message numerus="yes">
        <source>The provider counted %Ln tokens.</source>
        <translation>
            <numerusform>Der Anbieter hat %Ln Token gezählt.</numerusform>
            <numerusform>Der Anbieter hat %Ln Tokens gezählt.</numerusform>
        </translation>
    </message>
    <message>
        <source>Off in the settings</source>
        <translation>Aus in den Einstellungen</translation>
    </message>
    <message>
        <source>Off for this session</source>
        <translation>Aus für diese Sitzung</translation>
    </message>
    <message>
        <source>Only on overflow</source>
        <translation>Nur bei Überlauf</translation>
    </message>
    <message>
        <source>Above {0}</source>
        <translation>Über {0}</translation>
    </message>
    <message>
        <source>Largest: {0}</source>
        <translation>Das Größte: {0}</translation>
    </message>
</context>
<context>
    <name>ContextRing</name>
    <message>
        <source>Next request</source>
        <translation>Nächste Anfrage</translation>
    </message>
    <message>
        <source>Click to compact…</source>
        <translation>Klicken, um zu verdichten …</translation>
    </message>
</context>
<context>
    <name>Controllers</name>
    <message>
        <source>This session was continued in a new one.</source>
        <translation>Diese Sitzung wurde in einer neuen fortgesetzt.</translation>
    </message>
    <message>
        <source>Show the new session</source>
        <translation>Neue Sitzung zeigen</translation>
    </message>
    <message>
        <source>Continued in a new session, because the context was above the trigger. The old session is unchanged.</source>
        <translation>In einer neuen Sitzung fortgesetzt, weil der Kontext über der Schwelle lag. Die alte Sitzung ist unverändert.</translation>
    </message>
    <message>
        <source>Show the old session</source>
        <translation>Alte Sitzung zeigen</translation>
    </message>
    <message>
        <source>This hit is in a record that the transcript does not show.</source>
        <translation>Dieser Treffer ist in einem Eintrag, den der Verlauf nicht zeigt.</translation>
    </message>
    <message>
        <source>Show raw entry</source>
        <translation>Rohen Eintrag zeigen</translation>
    </message>
    <message>
        <source>The words of this hit are in a part of the entry that the transcript does not show.</source>
        <translation>Die Wörter dieses Treffers stehen in einem Teil des Eintrags, den der Verlauf nicht zeigt.</translation>
    </message>
</context>
<context>
    <name>CutLine</name>
    <message>
        <source>Where the summary ends</source>
        <translation>Wo die Zusammenfassung endet</translation>
    </message>
    <message>
        <source>Drag, or press ↑ and ↓, to keep more or less. P pins the entry above.</source>
        <translation>Ziehen oder ↑ und ↓ drücken, um mehr oder weniger zu behalten. P heftet den Eintrag darüber an.</translation>
    </message>
</context>
<context>
    <name>DeletedLine</name>
    <message>
        <source>This branch is in the trash.</source>
        <translation>Dieser Zweig liegt im Papierkorb.</translation>
    </message>
    <message>
        <source>Restore branch</source>
        <translation>Zweig wiederherstellen</translation>
    </message>
</context>
<context>
    <name>DensityButton</name>
    <message>
        <source>Which entries are shown</source>
        <translation>Welche Einträge angezeigt werden</translation>
    </message>
</context>
<context>
    <name>DifferencePage</name>
    <message>
        <source>Compare with</source>
        <translation>Vergleichen mit</translation>
    </message>
    <message>
        <source>Difference of the summaries</source>
        <translation>Unterschied der Zusammenfassungen</translation>
    </message>
    <message>
        <source>no difference</source>
        <translation>kein Unterschied</translation>
    </message>
</context>
<context>
    <name>DifferencePanel</name>
    <message>
        <source>Files</source>
        <translation>Dateien</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>Unterschied</translation>
    </message>
    <message>
        <source>Left</source>
        <translation>Links</translation>
    </message>
    <message>
        <source>Right</source>
        <translation>Rechts</translation>
    </message>
    <message>
        <source>Continue from the left</source>
        <translation>Links fortfahren</translation>
    </message>
    <message>
        <source>Continue from the right</source>
        <translation>Rechts fortfahren</translation>
    </message>
    <message>
        <source>This branch is already active.</source>
        <translation>Dieser Zweig ist schon aktiv.</translation>
    </message>
    <message>
        <source>The selection contains no prompt.</source>
        <translation>Die Auswahl enthält keinen Prompt.</translation>
    </message>
    <message>
        <source>Copy this turn to {0}</source>
        <translation>Diese Runde nach {0} kopieren</translation>
    </message>
</context>
<context>
    <name>DiscoveredTable</name>
    <message>
        <source>Looking for sessions on this machine…</source>
        <translation>Sitzungen auf diesem Rechner werden gesucht …</translation>
    </message>
    <message>
        <source>No sessions of a supported tool were found in the usual folders. Choose files instead.</source>
        <translation>In den üblichen Ordnern wurden keine Sitzungen unterstützter Werkzeuge gefunden. Wähle stattdessen Dateien.</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>Quelle</translation>
    </message>
    <message>
        <source>Found</source>
        <translation>Gefunden</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message numerus="yes">
        <source>%Ln files</source>
        <translation>
            <numerusform>%Ln Datei</numerusform>
            <numerusform>%Ln Dateien</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>DraftController</name>
    <message>
        <source>Attach files</source>
        <translation>Dateien anhängen</translation>
    </message>
    <message>
        <source>Pasted picture</source>
        <translation>Eingefügtes Bild</translation>
    </message>
    <message>
        <source>Pasted text</source>
        <translation>Eingefügter Text</translation>
    </message>
    <message numerus="yes">
        <source>A message can have at most %Ln attachments.</source>
        <translation>
            <numerusform>Eine Nachricht kann höchstens %Ln Anhang haben.</numerusform>
            <numerusform>Eine Nachricht kann höchstens %Ln Anhänge haben.</numerusform>
        </translation>
    </message>
    <message>
        <source>scaled down from {0} × {1}</source>
        <translation>verkleinert von {0} × {1}</translation>
    </message>
</context>
<context>
    <name>DuplicatesSection</name>
    <message>
        <source>Duplicate tool output</source>
        <translation>Doppelte Werkzeugausgaben</translation>
    </message>
    <message>
        <source>Prune duplicates</source>
        <translation>Doppelte auslassen</translation>
    </message>
    <message numerus="yes">
        <source>and %Ln more</source>
        <translation>
            <numerusform>und %Ln weiteres</numerusform>
            <numerusform>und %Ln weitere</numerusform>
        </translation>
    </message>
    <message>
        <source>Frees about {0} token</source>
        <translation>Macht etwa {0} Token frei</translation>
    </message>
    <message>
        <source>Frees about {0} tokens</source>
        <translation>Macht etwa {0} Tokens frei</translation>
    </message>
</context>
<context>
    <name>Fields</name>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Enter a name without “/”, of at most 64 characters.</source>
        <translation>Gib einen Namen ohne „/“ mit höchstens 64 Zeichen ein.</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>Adresse</translation>
    </message>
    <message>
        <source>Enter an address that begins with http:// or https://.</source>
        <translation>Gib eine Adresse ein, die mit http:// oder https:// beginnt.</translation>
    </message>
    <message>
        <source>API</source>
        <translation>API</translation>
    </message>
    <message>
        <source>Anthropic Messages</source>
        <translation>Anthropic Messages</translation>
    </message>
    <message>
        <source>OpenAI Chat Completions</source>
        <translation>OpenAI Chat Completions</translation>
    </message>
    <message>
        <source>OpenAI Responses</source>
        <translation>OpenAI Responses</translation>
    </message>
    <message>
        <source>OpenAI Codex Responses</source>
        <translation>OpenAI Codex Responses</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>Schlüssel</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Environment variable</source>
        <translation>Umgebungsvariable</translation>
    </message>
    <message>
        <source>The first model that the server offers</source>
        <translation>Das erste Modell, das der Server anbietet</translation>
    </message>
    <message>
        <source>Name of the variable that holds the key</source>
        <translation>Name der Variablen, die den Schlüssel enthält</translation>
    </message>
    <message>
        <source>Enter the name of an environment variable, never a key.</source>
        <translation>Gib den Namen einer Umgebungsvariablen ein, nie einen Schlüssel.</translation>
    </message>
    <message>
        <source>Proxy</source>
        <translation>Proxy</translation>
    </message>
    <message>
        <source>HTTPS_PROXY of the environment</source>
        <translation>HTTPS_PROXY aus der Umgebung</translation>
    </message>
    <message>
        <source>Certificates</source>
        <translation>Zertifikate</translation>
    </message>
    <message>
        <source>A PEM file, instead of the system’s</source>
        <translation>Eine PEM-Datei statt der des Systems</translation>
    </message>
    <message>
        <source>Name of the server; the names of its tools begin with it. Letters, digits, “_” and “-”.</source>
        <translation>Name des Servers; die Namen seiner Werkzeuge beginnen damit. Buchstaben, Ziffern, „_“ und „-“.</translation>
    </message>
    <message>
        <source>Enter at most 32 letters, digits, “_” and “-”.</source>
        <translation>Gib höchstens 32 Buchstaben, Ziffern, „_“ und „-“ ein.</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>A program on this machine</source>
        <translation>Ein Programm auf diesem Rechner</translation>
    </message>
    <message>
        <source>An address on the network</source>
        <translation>Eine Adresse im Netz</translation>
    </message>
    <message>
        <source>Program</source>
        <translation>Programm</translation>
    </message>
    <message>
        <source>mcp-files</source>
        <translation>mcp-files</translation>
    </message>
    <message>
        <source>Arguments</source>
        <translation>Argumente</translation>
    </message>
    <message>
        <source>Environment</source>
        <translation>Umgebung</translation>
    </message>
    <message>
        <source>“{0}” is not of the form NAME=value.</source>
        <translation>„{0}“ hat nicht die Form NAME=Wert.</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>Ordner</translation>
    </message>
    <message>
        <source>Folder in which it runs; empty for the folder in which Stemmata runs.</source>
        <translation>Ordner, in dem es läuft; leer für den Ordner, in dem Stemmata läuft.</translation>
    </message>
    <message>
        <source>Address that begins with http:// or https://.</source>
        <translation>Adresse, die mit http:// oder https:// beginnt.</translation>
    </message>
    <message>
        <source>https://mcp.example/mcp</source>
        <translation>https://mcp.example/mcp</translation>
    </message>
    <message>
        <source>Headers</source>
        <translation>Kopfzeilen</translation>
    </message>
    <message>
        <source>Other ids under which servers list this model, one per line.</source>
        <translation>Andere IDs, unter denen Server dieses Modell führen, eine je Zeile.</translation>
    </message>
    <message>
        <source>The program is started directly, without a shell.</source>
        <translation>Das Programm wird direkt gestartet, ohne Shell.</translation>
    </message>
    <message>
        <source>Enter one argument per line.</source>
        <translation>Gib in jeder Zeile ein Argument ein.</translation>
    </message>
    <message>
        <source>NAME=value, one per line. ${key} stands for the key below, ${env:NAME} for a variable of the environment Stemmata was started in.</source>
        <translation>NAME=Wert, je Zeile einer. ${key} steht für den Schlüssel darunter, ${env:NAME} für eine Variable der Umgebung, in der Stemmata gestartet wurde.</translation>
    </message>
    <message>
        <source>Name: value, one per line. ${key} stands for the key below, ${env:NAME} for a variable of the environment Stemmata was started in.</source>
        <translation>Name: Wert, je Zeile einer. ${key} steht für den Schlüssel darunter, ${env:NAME} für eine Variable der Umgebung, in der Stemmata gestartet wurde.</translation>
    </message>
    <message>
        <source>“{0}” is not of the form Name: value.</source>
        <translation>„{0}“ hat nicht die Form Name: Wert.</translation>
    </message>
    <message>
        <source>Stored in the keyring of the system, for this address only. No file contains it.</source>
        <translation>Im Schlüsselbund des Systems gespeichert, nur für diese Adresse. Keine Datei enthält ihn.</translation>
    </message>
    <message>
        <source>Replaces the stored key</source>
        <translation>Ersetzt den gespeicherten Schlüssel</translation>
    </message>
    <message>
        <source>The model’s id on its server; ids that begin with it are included.</source>
        <translation>Die Kennung des Modells auf seinem Server; Kennungen, die damit beginnen, gehören dazu.</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>Fenster</translation>
    </message>
    <message>
        <source>Tokens, such as 200000 or 200k.</source>
        <translation>Tokens, etwa 200000 oder 200k.</translation>
    </message>
    <message>
        <source>Enter a whole number of tokens, such as 200000 or 200k.</source>
        <translation>Gib eine ganze Zahl von Tokens ein, etwa 200000 oder 200k.</translation>
    </message>
    <message>
        <source>Maximum reply length</source>
        <translation>Höchstlänge einer Antwort</translation>
    </message>
    <message>
        <source>Maximum length of a reply, in tokens.</source>
        <translation>Höchstlänge einer Antwort, in Tokens.</translation>
    </message>
    <message>
        <source>Input</source>
        <translation>Eingabe</translation>
    </message>
    <message>
        <source>Dollars per million tokens, such as 2.5.</source>
        <translation>Dollar für eine Million Tokens, etwa 2.5.</translation>
    </message>
    <message>
        <source>Enter dollars per million tokens, such as 2.5.</source>
        <translation>Gib Dollar für eine Million Tokens ein, etwa 2.5.</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>Ausgabe</translation>
    </message>
    <message>
        <source>Read from the cache</source>
        <translation>Aus dem Cache gelesen</translation>
    </message>
    <message>
        <source>Written to the cache</source>
        <translation>In den Cache geschrieben</translation>
    </message>
    <message>
        <source>Other names</source>
        <translation>Andere Namen</translation>
    </message>
</context>
<context>
    <name>FileText</name>
    <message>
        <source>Text of the file</source>
        <translation>Text der Datei</translation>
    </message>
</context>
<context>
    <name>FileTimeline</name>
    <message>
        <source>Time line of the file</source>
        <translation>Zeitleiste der Datei</translation>
    </message>
</context>
<context>
    <name>Files</name>
    <message>
        <source>other branch only</source>
        <translation>nur anderer Zweig</translation>
    </message>
    <message numerus="yes">
        <source>%Ln edits</source>
        <translation>
            <numerusform>%Ln Änderung</numerusform>
            <numerusform>%Ln Änderungen</numerusform>
        </translation>
    </message>
    <message>
        <source>Read, not changed · {0}</source>
        <translation>Gelesen, nicht geändert · {0}</translation>
    </message>
    <message>
        <source>This branch</source>
        <translation>Dieser Zweig</translation>
    </message>
    <message>
        <source>All branches</source>
        <translation>Alle Zweige</translation>
    </message>
    <message>
        <source>Open “{0}” of {1}</source>
        <translation>„{0}“ vom {1} öffnen</translation>
    </message>
    <message>
        <source>Session folder</source>
        <translation>Ordner der Sitzung</translation>
    </message>
    <message>
        <source>read</source>
        <translation>gelesen</translation>
    </message>
    <message>
        <source>write {0}</source>
        <translation>geschrieben {0}</translation>
    </message>
    <message>
        <source>edit {0}</source>
        <translation>geändert {0}</translation>
    </message>
    <message>
        <source>deleted</source>
        <translation>gelöscht</translation>
    </message>
    <message>
        <source>changed, lines unknown</source>
        <translation>geändert, Zeilen unbekannt</translation>
    </message>
    <message>
        <source>Untitled change</source>
        <translation>Änderung ohne Titel</translation>
    </message>
    <message numerus="yes">
        <source>Read whole, %Ln lines</source>
        <translation>
            <numerusform>Ganz gelesen, %Ln Zeile</numerusform>
            <numerusform>Ganz gelesen, %Ln Zeilen</numerusform>
        </translation>
    </message>
    <message>
        <source>Read, lines unknown</source>
        <translation>Gelesen, Zeilen unbekannt</translation>
    </message>
    <message>
        <source>Read lines {0}–{1}</source>
        <translation>Zeilen {0}–{1} gelesen</translation>
    </message>
    <message numerus="yes">
        <source>%Ln tests failed</source>
        <translation>
            <numerusform>%Ln Test fehlgeschlagen</numerusform>
            <numerusform>%Ln Tests fehlgeschlagen</numerusform>
        </translation>
    </message>
    <message>
        <source>check passed</source>
        <translation>Prüfung bestanden</translation>
    </message>
    <message>
        <source>check failed</source>
        <translation>Prüfung fehlgeschlagen</translation>
    </message>
    <message>
        <source>earlier changes unknown</source>
        <translation>frühere Änderungen unbekannt</translation>
    </message>
    <message>
        <source>change {0} of {1}</source>
        <translation>Änderung {0} von {1}</translation>
    </message>
    <message numerus="yes">
        <source>read %Ln times</source>
        <translation>
            <numerusform>%Ln-mal gelesen</numerusform>
            <numerusform>%Ln-mal gelesen</numerusform>
        </translation>
    </message>
    <message>
        <source>added</source>
        <translation>hinzugefügt</translation>
    </message>
    <message>
        <source>removed</source>
        <translation>entfernt</translation>
    </message>
    <message>
        <source>unknown on the other side</source>
        <translation>auf der anderen Seite unbekannt</translation>
    </message>
    <message>
        <source>lines that were never read</source>
        <translation>Zeilen, die nie gelesen wurden</translation>
    </message>
    <message numerus="yes">
        <source>%Ln lines that were never read</source>
        <translation>
            <numerusform>%Ln Zeile, die nie gelesen wurde</numerusform>
            <numerusform>%Ln Zeilen, die nie gelesen wurden</numerusform>
        </translation>
    </message>
    <message>
        <source>The session deleted this file here.</source>
        <translation>Die Sitzung hat diese Datei hier gelöscht.</translation>
    </message>
    <message>
        <source>This file is too large to be shown.</source>
        <translation>Diese Datei ist zu groß, um gezeigt zu werden.</translation>
    </message>
    <message>
        <source>From {0} and {1} of the session</source>
        <translation>Aus {0} und {1} der Sitzung</translation>
    </message>
    <message numerus="yes">
        <source>%Ln reads</source>
        <translation>
            <numerusform>%Ln Lesevorgang</numerusform>
            <numerusform>%Ln Lesevorgängen</numerusform>
        </translation>
    </message>
    <message>
        <source>{0} ×</source>
        <translation>{0} ×</translation>
    </message>
    <message numerus="yes">
        <source>%Ln changes</source>
        <translation>
            <numerusform>%Ln Änderung</numerusform>
            <numerusform>%Ln Änderungen</numerusform>
        </translation>
    </message>
    <message>
        <source>From {0} of the session</source>
        <translation>Aus {0} der Sitzung</translation>
    </message>
    <message>
        <source>{0}; uncertain, since it was also changed in a way that the session does not show</source>
        <translation>{0}; unsicher, weil sie auch auf eine Weise geändert wurde, die die Sitzung nicht zeigt</translation>
    </message>
    <message>
        <source>{0}; {1}</source>
        <translation>{0}; {1}</translation>
    </message>
    <message numerus="yes">
        <source>%Ln ranges never read are grey</source>
        <translation>
            <numerusform>%Ln nie gelesener Bereich ist grau</numerusform>
            <numerusform>%Ln nie gelesene Bereiche sind grau</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>FilesController</name>
    <message>
        <source>Reading the files of this session…</source>
        <translation>Die Dateien dieser Sitzung werden gelesen …</translation>
    </message>
    <message>
        <source>No tool of this branch read or changed a file.</source>
        <translation>Kein Werkzeug dieses Zweigs hat eine Datei gelesen oder geändert.</translation>
    </message>
    <message>
        <source>branch {0}</source>
        <translation>Zweig {0}</translation>
    </message>
    <message>
        <source>Compared with the disk: lines that only the disk has are red. {0}</source>
        <translation>Mit dem Datenträger verglichen: Zeilen, die nur der Datenträger hat, sind rot. {0}</translation>
    </message>
    <message>
        <source>as of “{0}”</source>
        <translation>Stand „{0}“</translation>
    </message>
    <message>
        <source>Copied the text of the file.</source>
        <translation>Der Text der Datei wurde kopiert.</translation>
    </message>
    <message numerus="yes">
        <source>Copied the known lines of the file; %Ln ranges are missing.</source>
        <translation>
            <numerusform>Die bekannten Zeilen der Datei wurden kopiert; %Ln Bereich fehlt.</numerusform>
            <numerusform>Die bekannten Zeilen der Datei wurden kopiert; %Ln Bereiche fehlen.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>FilesView</name>
    <message>
        <source>Files</source>
        <translation>Dateien</translation>
    </message>
    <message>
        <source>History of this file</source>
        <translation>Geschichte dieser Datei</translation>
    </message>
    <message>
        <source>Reading the files of this session…</source>
        <translation>Die Dateien dieser Sitzung werden gelesen …</translation>
    </message>
    <message numerus="yes">
        <source>Filter %Ln files</source>
        <translation>
            <numerusform>%Ln Datei filtern</numerusform>
            <numerusform>%Ln Dateien filtern</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln files</source>
        <translation>
            <numerusform>%Ln Datei</numerusform>
            <numerusform>%Ln Dateien</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln not changed</source>
        <translation>
            <numerusform>%Ln nicht geändert</numerusform>
            <numerusform>%Ln nicht geändert</numerusform>
        </translation>
    </message>
    <message>
        <source>No file matches. Press Esc to show all files.</source>
        <translation>Keine Datei passt. Esc zeigt alle Dateien.</translation>
    </message>
    <message>
        <source>Reading older entries… {0}</source>
        <translation>Ältere Einträge werden gelesen… {0}</translation>
    </message>
    <message>
        <source>branch</source>
        <translation>Zweig</translation>
    </message>
    <message>
        <source>No other branch has a text of this file.</source>
        <translation>Kein anderer Zweig hat einen Text dieser Datei.</translation>
    </message>
    <message>
        <source>Whole file</source>
        <translation>Ganze Datei</translation>
    </message>
    <message>
        <source>Compared with {0}</source>
        <translation>Verglichen mit {0}</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>Änderung</translation>
    </message>
    <message>
        <source>File</source>
        <translation>Datei</translation>
    </message>
    <message numerus="yes">
        <source>%Ln other sessions use this file</source>
        <translation>
            <numerusform>%Ln andere Sitzung verwendet diese Datei</numerusform>
            <numerusform>%Ln andere Sitzungen verwenden diese Datei</numerusform>
        </translation>
    </message>
    <message>
        <source>Branches whose files are listed</source>
        <translation>Zweige, deren Dateien aufgelistet sind</translation>
    </message>
    <message>
        <source>Filter files</source>
        <translation>Dateien filtern</translation>
    </message>
    <message>
        <source>Close files</source>
        <translation>Dateien schließen</translation>
    </message>
    <message>
        <source>Copy file</source>
        <translation>Datei kopieren</translation>
    </message>
    <message>
        <source>Compare with disk…</source>
        <translation>Mit Datenträger vergleichen …</translation>
    </message>
    <message>
        <source>Branches whose steps are listed</source>
        <translation>Zweige, deren Schritte aufgelistet sind</translation>
    </message>
    <message>
        <source>In other sessions</source>
        <translation>Andere Sitzungen</translation>
    </message>
    <message>
        <source>Show in the transcript</source>
        <translation>Im Verlauf zeigen</translation>
    </message>
</context>
<context>
    <name>FilterChips</name>
    <message>
        <source>Words</source>
        <translation>Wörter</translation>
    </message>
    <message>
        <source>Meaning</source>
        <translation>Bedeutung</translation>
    </message>
    <message>
        <source>Find the words of the query</source>
        <translation>Die Wörter der Anfrage finden</translation>
    </message>
    <message>
        <source>Find prompts and summaries that mean the same in other words, too</source>
        <translation>Auch Prompts und Zusammenfassungen finden, die dasselbe mit anderen Worten sagen</translation>
    </message>
    <message>
        <source>Date</source>
        <translation>Datum</translation>
    </message>
    <message>
        <source>Project</source>
        <translation>Projekt</translation>
    </message>
    <message>
        <source>Tool</source>
        <translation>Werkzeug</translation>
    </message>
    <message>
        <source>More</source>
        <translation>Mehr</translation>
    </message>
    <message>
        <source>Abandoned</source>
        <translation>Verlassen</translation>
    </message>
    <message>
        <source>All projects</source>
        <translation>Alle Projekte</translation>
    </message>
    <message>
        <source>All tools</source>
        <translation>Alle Werkzeuge</translation>
    </message>
    <message>
        <source>Starred sessions</source>
        <translation>Markierte Sitzungen</translation>
    </message>
    <message>
        <source>With images</source>
        <translation>Mit Bildern</translation>
    </message>
    <message>
        <source>Active branches</source>
        <translation>Aktive Zweige</translation>
    </message>
    <message>
        <source>Remove all filters</source>
        <translation>Alle Filter entfernen</translation>
    </message>
</context>
<context>
    <name>FindBar</name>
    <message>
        <source>Find in session</source>
        <translation>In der Sitzung suchen</translation>
    </message>
    <message>
        <source>Match case</source>
        <translation>Groß- und Kleinschreibung beachten</translation>
    </message>
    <message>
        <source>Whole words</source>
        <translation>Ganze Wörter</translation>
    </message>
    <message>
        <source>Regular expression</source>
        <translation>Regulärer Ausdruck</translation>
    </message>
    <message>
        <source>Matches</source>
        <translation>Fundstellen</translation>
    </message>
    <message>
        <source>Previous match</source>
        <translation>Vorige Fundstelle</translation>
    </message>
    <message>
        <source>Next match</source>
        <translation>Nächste Fundstelle</translation>
    </message>
    <message>
        <source>Close the find bar</source>
        <translation>Suchleiste schließen</translation>
    </message>
    <message>
        <source>No match</source>
        <translation>Keine Fundstelle</translation>
    </message>
    <message>
        <source>{0} of {1}</source>
        <translation>{0} von {1}</translation>
    </message>
    <message numerus="yes">
        <source>%Ln more on other branches</source>
        <translation>
            <numerusform>%Ln weiterer auf anderen Zweigen</numerusform>
            <numerusform>%Ln weitere auf anderen Zweigen</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>FoldButton</name>
    <message>
        <source>Show all branches</source>
        <translation>Alle Zweige zeigen</translation>
    </message>
    <message>
        <source>Show only the active path</source>
        <translation>Nur den aktiven Pfad zeigen</translation>
    </message>
</context>
<context>
    <name>FoldersField</name>
    <message>
        <source>Add a folder…</source>
        <translation>Ordner hinzufügen …</translation>
    </message>
    <message>
        <source>Add a folder</source>
        <translation>Ordner hinzufügen</translation>
    </message>
</context>
<context>
    <name>FollowBox</name>
    <message>
        <source>Keep following these folders</source>
        <translation>Diese Ordner weiter überwachen</translation>
    </message>
    <message>
        <source>New messages of these tools are imported automatically while Stemmata is open.</source>
        <translation>Neue Nachrichten dieser Werkzeuge werden automatisch importiert, solange Stemmata offen ist.</translation>
    </message>
</context>
<context>
    <name>HandOffController</name>
    <message>
        <source>Stemmata chat</source>
        <translation>Chat in Stemmata</translation>
    </message>
    <message>
        <source>Copied: {0}</source>
        <translation>Kopiert: {0}</translation>
    </message>
</context>
<context>
    <name>HandOffDialog</name>
    <message>
        <source>Hand off</source>
        <translation>Übergeben</translation>
    </message>
    <message>
        <source>{0}, {1}, ≈ {2} tokens</source>
        <translation>{0}, {1}, ≈ {2} Token</translation>
    </message>
    <message numerus="yes">
        <source>%Ln messages</source>
        <translation>
            <numerusform>%Ln Nachricht</numerusform>
            <numerusform>%Ln Nachrichten</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln tool calls</source>
        <translation>
            <numerusform>%Ln Aufruf</numerusform>
            <numerusform>%Ln Aufrufe</numerusform>
        </translation>
    </message>
    <message>
        <source>Not handed over:</source>
        <translation>Nicht übergeben:</translation>
    </message>
    <message>
        <source>Written: {0}</source>
        <translation>Geschrieben: {0}</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Tool</source>
        <translation>Programm</translation>
    </message>
    <message>
        <source>All messages of the path</source>
        <translation>Alle Nachrichten des Pfads</translation>
    </message>
    <message>
        <source>The current context: the last summary and the entries after it</source>
        <translation>Der aktuelle Kontext: die letzte Zusammenfassung und die Einträge danach</translation>
    </message>
    <message>
        <source>A brief: one message with a summary</source>
        <translation>Eine Kurzfassung: eine Nachricht mit einer Zusammenfassung</translation>
    </message>
    <message>
        <source>Content to hand over</source>
        <translation>Zu übergebender Inhalt</translation>
    </message>
    <message>
        <source>Folder to work in</source>
        <translation>Arbeitsordner</translation>
    </message>
    <message>
        <source>Choose folder…</source>
        <translation>Ordner wählen …</translation>
    </message>
    <message>
        <source>Brief</source>
        <translation>Kurzfassung</translation>
    </message>
    <message>
        <source>Write with a model</source>
        <translation>Vom Modell schreiben lassen</translation>
    </message>
    <message>
        <source>Command that continues the session</source>
        <translation>Befehl, der die Sitzung fortsetzt</translation>
    </message>
    <message>
        <source>Copy command</source>
        <translation>Befehl kopieren</translation>
    </message>
    <message>
        <source>Resume in terminal</source>
        <translation>Im Terminal fortsetzen</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Write session</source>
        <translation>Sitzung schreiben</translation>
    </message>
    <message>
        <source>The tool continues in a new session. This session is not changed.</source>
        <translation>Das Programm macht in einer neuen Sitzung weiter. Diese Sitzung wird nicht verändert.</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>Ordner</translation>
    </message>
</context>
<context>
    <name>HeldLine</name>
    <message>
        <source>Cut {0}</source>
        <translation>Schnitt {0}</translation>
    </message>
    <message>
        <source>Cut {0}: click to use it</source>
        <translation>Schnitt {0}: klicke, um ihn zu verwenden</translation>
    </message>
</context>
<context>
    <name>ImageDialog</name>
    <message>
        <source>Image</source>
        <translation>Bild</translation>
    </message>
    <message>
        <source>Image, {0} by {1} pixels</source>
        <translation>Bild, {0} mal {1} Pixel</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Save…</source>
        <translation>Speichern …</translation>
    </message>
    <message>
        <source>Fit</source>
        <translation>Einpassen</translation>
    </message>
    <message>
        <source>Smaller</source>
        <translation>Kleiner</translation>
    </message>
    <message>
        <source>Larger</source>
        <translation>Größer</translation>
    </message>
</context>
<context>
    <name>ImportButton</name>
    <message numerus="yes">
        <source>%Ln files</source>
        <translation>
            <numerusform>%Ln Datei</numerusform>
            <numerusform>%Ln Dateien</numerusform>
        </translation>
    </message>
    <message>
        <source>Import {0}</source>
        <translation>{0} importieren</translation>
    </message>
</context>
<context>
    <name>ImportController</name>
    <message>
        <source>Importing…</source>
        <translation>Wird importiert …</translation>
    </message>
    <message>
        <source>The demo session is missing from this installation.</source>
        <translation>Die Beispielsitzung fehlt in dieser Installation.</translation>
    </message>
    <message>
        <source>Import files</source>
        <translation>Dateien importieren</translation>
    </message>
    <message>
        <source>Import a folder</source>
        <translation>Ordner importieren</translation>
    </message>
    <message>
        <source>Importing file {0} of {1}</source>
        <translation>Datei {0} von {1} wird importiert</translation>
    </message>
    <message>
        <source>The imported session is in the list.</source>
        <translation>Die importierte Sitzung steht in der Liste.</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>Zeigen</translation>
    </message>
    <message>
        <source>Report</source>
        <translation>Bericht</translation>
    </message>
</context>
<context>
    <name>ImportDialog</name>
    <message>
        <source>Import sessions</source>
        <translation>Sitzungen importieren</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Import progress</source>
        <translation>Fortschritt des Imports</translation>
    </message>
    <message>
        <source>File {0} of {1}</source>
        <translation>Datei {0} von {1}</translation>
    </message>
    <message numerus="yes">
        <source>%Ln sessions</source>
        <translation>
            <numerusform>%Ln Sitzung</numerusform>
            <numerusform>%Ln Sitzungen</numerusform>
        </translation>
    </message>
    <message>
        <source>Listing files…</source>
        <translation>Dateien werden aufgelistet …</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pausieren</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>Pausiert</translation>
    </message>
    <message>
        <source>Cancelling…</source>
        <translation>Wird abgebrochen …</translation>
    </message>
    <message numerus="yes">
        <source>Keep following %Ln folders</source>
        <translation>
            <numerusform>%Ln Ordner weiter überwachen</numerusform>
            <numerusform>%Ln Ordner weiter überwachen</numerusform>
        </translation>
    </message>
    <message>
        <source>Found on this machine</source>
        <translation>Auf diesem Rechner gefunden</translation>
    </message>
    <message>
        <source>Sources are only read, never changed.</source>
        <translation>Quellen werden nur gelesen, nie verändert.</translation>
    </message>
    <message>
        <source>Choose files…</source>
        <translation>Dateien wählen …</translation>
    </message>
    <message>
        <source>Choose a folder…</source>
        <translation>Ordner wählen …</translation>
    </message>
    <message>
        <source>Each file is imported completely or not at all. You can keep working during the import.</source>
        <translation>Jede Datei wird vollständig oder gar nicht importiert. Du kannst währenddessen weiterarbeiten.</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Importing</source>
        <translation>Import läuft</translation>
    </message>
    <message>
        <source>Import more…</source>
        <translation>Mehr importieren …</translation>
    </message>
</context>
<context>
    <name>ImportReport</name>
    <message numerus="yes">
        <source>%Ln sessions</source>
        <translation>
            <numerusform>%Ln Sitzung</numerusform>
            <numerusform>%Ln Sitzungen</numerusform>
        </translation>
    </message>
    <message>
        <source>{0} from {1}</source>
        <translation>{0} aus {1}</translation>
    </message>
    <message numerus="yes">
        <source>%Ln files</source>
        <translation>
            <numerusform>%Ln Datei</numerusform>
            <numerusform>%Ln Dateien</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln new entries</source>
        <translation>
            <numerusform>%Ln neuer Eintrag</numerusform>
            <numerusform>%Ln neue Einträge</numerusform>
        </translation>
    </message>
    <message>
        <source>Nothing new</source>
        <translation>Nichts Neues</translation>
    </message>
    <message numerus="yes">
        <source>%Ln unchanged files</source>
        <translation>
            <numerusform>%Ln unveränderte Datei</numerusform>
            <numerusform>%Ln unveränderte Dateien</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln files not imported</source>
        <translation>
            <numerusform>%Ln Datei nicht importiert</numerusform>
            <numerusform>%Ln Dateien nicht importiert</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln entries removed by their tool</source>
        <translation>
            <numerusform>%Ln Eintrag von seinem Werkzeug entfernt</numerusform>
            <numerusform>%Ln Einträge von ihrem Werkzeug entfernt</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln sessions deleted by their tool</source>
        <translation>
            <numerusform>%Ln Sitzung von ihrem Werkzeug gelöscht</numerusform>
            <numerusform>%Ln Sitzungen von ihrem Werkzeug gelöscht</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln conversations not imported</source>
        <translation>
            <numerusform>%Ln Unterhaltung nicht importiert</numerusform>
            <numerusform>%Ln Unterhaltungen nicht importiert</numerusform>
        </translation>
    </message>
    <message>
        <source>Cancelled. Completed imports are kept: {0}.</source>
        <translation>Abgebrochen. Abgeschlossene Importe bleiben erhalten: {0}.</translation>
    </message>
    <message>
        <source>Deleted by their tool, safe here</source>
        <translation>Von ihrem Werkzeug gelöscht, hier sicher</translation>
    </message>
    <message>
        <source>For the same reason: {0}</source>
        <translation>Aus demselben Grund: {0}</translation>
    </message>
    <message>
        <source>{0}: not imported ({1}).</source>
        <translation>{0}: nicht importiert ({1}).</translation>
    </message>
    <message>
        <source>{0}: no session ({1}).</source>
        <translation>{0}: keine Sitzung ({1}).</translation>
    </message>
    <message numerus="yes">
        <source>%Ln entries were removed by the tool. They are kept as a branch.</source>
        <translation>
            <numerusform>%Ln Eintrag wurde vom Werkzeug entfernt. Er bleibt als Zweig erhalten.</numerusform>
            <numerusform>%Ln Einträge wurden vom Werkzeug entfernt. Sie bleiben als Zweig erhalten.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln entries that the tool had removed are in its files again.</source>
        <translation>
            <numerusform>%Ln Eintrag, den das Werkzeug entfernt hatte, ist wieder in seinen Dateien.</numerusform>
            <numerusform>%Ln Einträge, die das Werkzeug entfernt hatte, sind wieder in seinen Dateien.</numerusform>
        </translation>
    </message>
    <message>
        <source>The tool had deleted this session, and has it again.</source>
        <translation>Das Werkzeug hatte diese Sitzung gelöscht und hat sie wieder.</translation>
    </message>
    <message>
        <source>Repaired: {0}</source>
        <translation>Repariert: {0}</translation>
    </message>
    <message>
        <source>Line {0} could not be read ({1}). Its bytes are kept.</source>
        <translation>Zeile {0} konnte nicht gelesen werden ({1}). Ihre Bytes bleiben erhalten.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln entries</source>
        <translation>
            <numerusform>%Ln Eintrag</numerusform>
            <numerusform>%Ln Einträge</numerusform>
        </translation>
    </message>
    <message>
        <source>Not imported</source>
        <translation>Nicht importiert</translation>
    </message>
    <message numerus="yes">
        <source>%Ln branches</source>
        <translation>
            <numerusform>%Ln Zweig</numerusform>
            <numerusform>%Ln Zweige</numerusform>
        </translation>
    </message>
    <message>
        <source>A part could not be read ({0}). Its bytes are kept.</source>
        <translation>Ein Teil konnte nicht gelesen werden ({0}). Seine Bytes bleiben erhalten.</translation>
    </message>
    <message numerus="yes">
        <source>… and %Ln more</source>
        <translation>
            <numerusform>… und %Ln weitere</numerusform>
            <numerusform>… und %Ln weitere</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ItemForm</name>
    <message>
        <source>Enter a value.</source>
        <translation>Gib einen Wert ein.</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Speichern</translation>
    </message>
</context>
<context>
    <name>JsonView</name>
    <message>
        <source>Record as a tree</source>
        <translation>Datensatz als Baum</translation>
    </message>
    <message>
        <source>Selected value</source>
        <translation>Gewählter Wert</translation>
    </message>
</context>
<context>
    <name>JumpButton</name>
    <message>
        <source>Go to the end</source>
        <translation>Zum Ende gehen</translation>
    </message>
    <message numerus="yes">
        <source>%Ln new below</source>
        <translation>
            <numerusform>%Ln neuer unten</numerusform>
            <numerusform>%Ln neue unten</numerusform>
        </translation>
    </message>
    <message>
        <source>{0}+ new below</source>
        <translation>{0}+ neue unten</translation>
    </message>
</context>
<context>
    <name>KeepSlider</name>
    <message>
        <source>Tokens that the compaction keeps, in hundreds</source>
        <translation>Tokens, die die Verdichtung behält, in Hunderten</translation>
    </message>
    <message>
        <source>Keep the last</source>
        <translation>Letzte behalten</translation>
    </message>
</context>
<context>
    <name>KeysDialog</name>
    <message>
        <source>Keys of the window</source>
        <translation>Tasten des Fensters</translation>
    </message>
    <message>
        <source>Keys of the sessions</source>
        <translation>Tasten der Sitzungen</translation>
    </message>
    <message>
        <source>Keys of the branches</source>
        <translation>Tasten der Zweige</translation>
    </message>
    <message>
        <source>Keys of the transcript</source>
        <translation>Tasten des Verlaufs</translation>
    </message>
    <message>
        <source>Keys of the message</source>
        <translation>Tasten der Nachricht</translation>
    </message>
    <message>
        <source>Keys of the context</source>
        <translation>Tasten des Kontexts</translation>
    </message>
    <message>
        <source>Keys of the search</source>
        <translation>Tasten der Suche</translation>
    </message>
    <message>
        <source>Keys of the files</source>
        <translation>Tasten der Dateien</translation>
    </message>
    <message>
        <source>Keys of the comparison</source>
        <translation>Tasten des Vergleichs</translation>
    </message>
    <message>
        <source>Change shortcuts…</source>
        <translation>Tastenkürzel ändern …</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
</context>
<context>
    <name>LargestSection</name>
    <message>
        <source>Largest in context</source>
        <translation>Das Größte im Kontext</translation>
    </message>
</context>
<context>
    <name>LeavePopup</name>
    <message>
        <source>Leave without a summary</source>
        <translation>Ohne Zusammenfassung verlassen</translation>
    </message>
    <message>
        <source>Summarise the branch that I leave</source>
        <translation>Verlassenen Zweig zusammenfassen</translation>
    </message>
    <message>
        <source>Summarise with focus…</source>
        <translation>Mit Schwerpunkt zusammenfassen …</translation>
    </message>
    <message>
        <source>What matters for the summary?</source>
        <translation>Was ist für die Zusammenfassung wichtig?</translation>
    </message>
    <message>
        <source>Do the same without asking until Stemmata is closed</source>
        <translation>Ohne Nachfrage ebenso, bis Stemmata geschlossen wird</translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>Drop to import these files and folders</source>
        <translation>Loslassen, um diese Dateien und Ordner zu importieren</translation>
    </message>
</context>
<context>
    <name>MessageEditor</name>
    <message>
        <source>Message</source>
        <translation>Nachricht</translation>
    </message>
    <message>
        <source>Message…   / for commands</source>
        <translation>Nachricht …   / für Befehle</translation>
    </message>
</context>
<context>
    <name>Minimap</name>
    <message>
        <source>Overview of the session</source>
        <translation>Überblick über die Sitzung</translation>
    </message>
    <message>
        <source>Scrolls the branches, and marks labels, compactions and the matches of a search.</source>
        <translation>Scrollt durch die Zweige. Zeigt, wo Beschriftungen, Verdichtungen und Treffer einer Suche sind.</translation>
    </message>
</context>
<context>
    <name>ModelForm</name>
    <message>
        <source>Model {0}</source>
        <translation>Modell {0}</translation>
    </message>
    <message>
        <source>New model</source>
        <translation>Neues Modell</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>nicht bekannt</translation>
    </message>
    <message>
        <source>Use the shipped values</source>
        <translation>Mitgelieferte Werte verwenden</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
</context>
<context>
    <name>ModelRow</name>
    <message>
        <source>Edit</source>
        <translation>Bearbeiten</translation>
    </message>
    <message>
        <source>Edit {0}</source>
        <translation>{0} bearbeiten</translation>
    </message>
    <message>
        <source>your values</source>
        <translation>eigene Werte</translation>
    </message>
    <message>
        <source>Also {0}</source>
        <translation>Auch {0}</translation>
    </message>
    <message>
        <source>Window {0}</source>
        <translation>Fenster {0}</translation>
    </message>
    <message>
        <source>replies up to {0}</source>
        <translation>Antworten bis {0}</translation>
    </message>
    <message>
        <source>{0} in</source>
        <translation>{0} Eingabe</translation>
    </message>
    <message>
        <source>{0} out</source>
        <translation>{0} Ausgabe</translation>
    </message>
    <message>
        <source>{0} from the cache</source>
        <translation>{0} aus dem Cache</translation>
    </message>
    <message>
        <source>{0} to the cache</source>
        <translation>{0} in den Cache</translation>
    </message>
    <message>
        <source>No window or price is known.</source>
        <translation>Weder Fenster noch Preis sind bekannt.</translation>
    </message>
</context>
<context>
    <name>Models</name>
    <message>
        <source>{0} in, {1} out per million tokens (reported by the server)</source>
        <translation>{0} Eingabe, {1} Ausgabe je Million Tokens (vom Server gemeldet)</translation>
    </message>
    <message>
        <source>{0} in, {1} out per million tokens (catalogue or settings)</source>
        <translation>{0} Eingabe, {1} Ausgabe je Million Tokens (Katalog oder Einstellungen)</translation>
    </message>
    <message>
        <source>Context window of {0} tokens (catalogue or settings)</source>
        <translation>Kontextfenster von {0} Tokens (Katalog oder Einstellungen)</translation>
    </message>
    <message>
        <source>Context window of at most {0} tokens; the server may load the model with a smaller window</source>
        <translation>Kontextfenster von höchstens {0} Tokens; der Server kann das Modell mit einem kleineren Fenster laden</translation>
    </message>
    <message>
        <source>Context window of {0} tokens (reported by the server)</source>
        <translation>Kontextfenster von {0} Tokens (vom Server gemeldet)</translation>
    </message>
</context>
<context>
    <name>ModelsPage</name>
    <message>
        <source>Add a model…</source>
        <translation>Modell hinzufügen …</translation>
    </message>
    <message>
        <source>Windows and prices of models. Your values take precedence over those that a server reports and those that come with Stemmata.</source>
        <translation>Fenster und Preise von Modellen. Deine Angaben gehen denen eines Servers und den mitgelieferten vor.</translation>
    </message>
</context>
<context>
    <name>NumberField</name>
    <message>
        <source>not set</source>
        <translation>nicht gesetzt</translation>
    </message>
</context>
<context>
    <name>OfferedCompaction</name>
    <message>
        <source>Nothing to compact: the context is empty.</source>
        <translation>Nichts zu verdichten: der Kontext ist leer.</translation>
    </message>
    <message>
        <source>Open a session to see what a compaction would do.</source>
        <translation>Öffne eine Sitzung, um zu sehen, was eine Verdichtung bewirkt.</translation>
    </message>
</context>
<context>
    <name>OverTimeSection</name>
    <message>
        <source>Over time</source>
        <translation>Im Lauf der Zeit</translation>
    </message>
    <message>
        <source>Fold the chart</source>
        <translation>Diagramm einklappen</translation>
    </message>
    <message>
        <source>Unfold the chart</source>
        <translation>Diagramm ausklappen</translation>
    </message>
</context>
<context>
    <name>PaletteDelegate</name>
    <message>
        <source>Press Enter to show</source>
        <translation>Anzeigen mit der Eingabetaste</translation>
    </message>
</context>
<context>
    <name>Phrases</name>
    <message>
        <source>Tool results take ≈ {0} tokens; pruning starts above {1}.</source>
        <translation>Werkzeugergebnisse nehmen ≈ {0} Tokens ein; ausgelassen wird ab {1}.</translation>
    </message>
    <message>
        <source>“{0}” cannot write signed summaries. Only Anthropic can, and servers whose list of models says so.</source>
        <translation>„{0}“ kann keine signierten Zusammenfassungen schreiben. Das können nur Anthropic und Server, deren Modellliste es angibt.</translation>
    </message>
    <message>
        <source>{0} cannot write signed summaries. Choose another model.</source>
        <translation>{0} kann keine signierten Zusammenfassungen schreiben. Wähle ein anderes Modell.</translation>
    </message>
    <message>
        <source>The environment variable {0} is not set.</source>
        <translation>Die Umgebungsvariable {0} ist nicht gesetzt.</translation>
    </message>
    <message>
        <source>{0} refused its own signed summary{1}. Everything is kept. Edit the summary to send it as plain text.</source>
        <translation>{0} hat die eigene signierte Zusammenfassung abgelehnt{1}. Alles bleibt erhalten. Bearbeite die Zusammenfassung, um sie als Text zu senden.</translation>
    </message>
    <message>
        <source>{0} found nothing to summarise{1}. Nothing was changed. Move the cut down, or use the digest.</source>
        <translation>{0} fand nichts zusammenzufassen{1}. Nichts wurde geändert. Schiebe den Schnitt nach unten oder nimm den Auszug.</translation>
    </message>
    <message>
        <source>{0} cannot summarise an incomplete turn{1}. Nothing was changed. Move the cut to the start of a turn, or use the digest.</source>
        <translation>{0} kann keine unvollständige Runde zusammenfassen{1}. Nichts wurde geändert. Verschiebe den Schnitt an den Anfang einer Runde, oder nimm den Auszug.</translation>
    </message>
    <message>
        <source>{0} cannot summarise a conversation with this many tools{1}. Nothing was changed. Let a model write the summary, or use the digest.</source>
        <translation>{0} kann keine Unterhaltung mit so vielen Werkzeugen zusammenfassen{1}. Nichts wurde geändert. Lass ein Modell die Zusammenfassung schreiben, oder nimm den Auszug.</translation>
    </message>
    <message>
        <source>The request is longer than the model’s context window{3}. Compact the session, or choose another model.</source>
        <translation>Die Anfrage ist länger als das Kontextfenster des Modells{3}. Verdichte die Sitzung, oder wähle ein anderes Modell.</translation>
    </message>
    <message>
        <source>{0} refused the key{1}. Check the key of this connection.{2}</source>
        <translation>{0} hat den Schlüssel abgelehnt{1}. Prüfe den Schlüssel dieser Verbindung.{2}</translation>
    </message>
    <message>
        <source>{0} does not know the model or the address{1}. Choose another model.{2}</source>
        <translation>{0} kennt das Modell oder die Adresse nicht{1}. Wähle ein anderes Modell.{2}</translation>
    </message>
    <message>
        <source>{0} says that the account has no credit left{1}.{2}</source>
        <translation>{0} sagt, dass das Konto kein Guthaben mehr hat{1}.{2}</translation>
    </message>
    <message>
        <source>{0} is overloaded{1}.{2}</source>
        <translation>{0} ist überlastet{1}.{2}</translation>
    </message>
    <message>
        <source>{0} refused the request{1}.{2}</source>
        <translation>{0} hat die Anfrage abgelehnt{1}.{2}</translation>
    </message>
    <message>
        <source>{0} cannot be reached: nothing answers at {1}. Is the server running, and is this its address?</source>
        <translation>{0} ist nicht zu erreichen: Unter {1} antwortet nichts. Läuft der Server, und ist das seine Adresse?</translation>
    </message>
    <message>
        <source>{0} ended the reply without a reason.</source>
        <translation>{0} hat die Antwort beendet, ohne zu sagen, warum.</translation>
    </message>
    <message>
        <source>{0} cannot be reached: there is no host called “{1}”. Check its address, and whether this machine is online.</source>
        <translation>{0} ist nicht zu erreichen: Es gibt keinen Rechner namens „{1}“. Prüfe die Adresse, und ob dieser Rechner online ist.</translation>
    </message>
    <message>
        <source> The server says: {0}</source>
        <translation> Der Server meldet: {0}</translation>
    </message>
    <message>
        <source>: {0} tokens of {1}</source>
        <translation>: {0} Tokens von {1}</translation>
    </message>
    <message>
        <source>The certificate of {0} cannot be trusted: {1}</source>
        <translation>Dem Zertifikat von {0} ist nicht zu trauen: {1}</translation>
    </message>
    <message>
        <source>The proxy refused the connection to {0}: {1}</source>
        <translation>Der Proxy hat die Verbindung zu {0} abgelehnt: {1}</translation>
    </message>
    <message>
        <source>{0} cannot be reached: no answer from {1}.</source>
        <translation>{0} ist nicht zu erreichen: keine Antwort von {1}.</translation>
    </message>
    <message>
        <source>{0} answered with a web page in place of a reply. Is the address of this connection right?</source>
        <translation>{0} hat statt einer Antwort eine Webseite geschickt. Stimmt die Adresse dieser Verbindung?</translation>
    </message>
    <message>
        <source>The secure connection to {0} broke: {1}</source>
        <translation>Die sichere Verbindung zu {0} ist abgebrochen: {1}</translation>
    </message>
    <message>
        <source>{0} cannot be reached: its proxy at {1} does not answer. Is the proxy running, and is this its address?</source>
        <translation>{0} ist nicht zu erreichen: Der Proxy unter {1} antwortet nicht. Läuft der Proxy, und ist das seine Adresse?</translation>
    </message>
    <message>
        <source>The key or a header of {0} holds characters that cannot be sent. Correct the connection.</source>
        <translation>Der Schlüssel oder eine Kopfzeile von {0} enthält Zeichen, die sich nicht senden lassen. Berichtige die Verbindung.</translation>
    </message>
    <message>
        <source>The address of {0} cannot be opened: {1}</source>
        <translation>Die Adresse von {0} lässt sich nicht öffnen: {1}</translation>
    </message>
    <message>
        <source>The connection to {0} was lost.</source>
        <translation>Die Verbindung zu {0} ging verloren.</translation>
    </message>
    <message>
        <source>The tool server ended before it answered.</source>
        <translation>Der Werkzeugserver endete, bevor er antwortete.</translation>
    </message>
    <message>
        <source>The file {0} holds no certificates that can be read: {1}</source>
        <translation>Die Datei {0} enthält keine lesbaren Zertifikate: {1}</translation>
    </message>
    <message>
        <source>The proxy {0} cannot be used: {1}</source>
        <translation>Der Proxy {0} ist nicht zu benutzen: {1}</translation>
    </message>
    <message>
        <source>The proxy that the environment names cannot be used: {0}</source>
        <translation>Der Proxy, den die Umgebung nennt, ist nicht zu benutzen: {0}</translation>
    </message>
    <message>
        <source>“{0}” is too large: it has {1} MB, and a picture may have at most {2} MB.</source>
        <translation>„{0}“ ist zu groß: {1} MB. Ein Bild darf höchstens {2} MB haben.</translation>
    </message>
    <message>
        <source>“{0}” is too large: it has {1} MB, and a PDF may have at most {2} MB.</source>
        <translation>„{0}“ ist zu groß: {1} MB. Ein PDF darf höchstens {2} MB haben.</translation>
    </message>
    <message>
        <source>“{0}” is too large: at most {1} MB can be sent.</source>
        <translation>„{0}“ ist zu groß: Höchstens {1} MB lassen sich senden.</translation>
    </message>
    <message>
        <source>{0}, so “{1}” cannot be sent.</source>
        <translation>{0}, deshalb lässt sich „{1}“ nicht senden.</translation>
    </message>
    <message>
        <source>“{0}” cannot be read: {1}.</source>
        <translation>„{0}“ lässt sich nicht lesen: {1}.</translation>
    </message>
    <message>
        <source>{0} contains no entries of a pi session. Nothing was imported.</source>
        <translation>{0} enthält keine Einträge einer Sitzung von pi. Nichts wurde importiert.</translation>
    </message>
    <message>
        <source>The archive is read-only. Sessions can be read, but changes cannot be stored.</source>
        <translation>Das Archiv ist schreibgeschützt. Sitzungen lassen sich lesen, Änderungen aber nicht speichern.</translation>
    </message>
    <message>
        <source>The connection to {0} was closed.</source>
        <translation>Die Verbindung zu {0} wurde geschlossen.</translation>
    </message>
    <message>
        <source>🔧 Tool outputs pruned ({0} → {1}, −{2}%)</source>
        <translation>🔧 Werkzeugausgaben ausgelassen ({0} → {1}, −{2} %)</translation>
    </message>
    <message>
        <source>📊 Context: {0}</source>
        <translation>📊 Kontext: {0}</translation>
    </message>
    <message>
        <source>⚙️ Compacted ({0} → {1})</source>
        <translation>⚙️ Verdichtet ({0} → {1})</translation>
    </message>
    <message>
        <source>📊 Total: {0}</source>
        <translation>📊 Gesamt: {0}</translation>
    </message>
    <message>
        <source>System</source>
        <translation>System</translation>
    </message>
    <message>
        <source>{0} is damaged: some of its rows are missing.</source>
        <translation>{0} ist beschädigt: Einige Zeilen fehlen.</translation>
    </message>
    <message>
        <source>Stemmata tries to compact automatically again after {0} more replies.</source>
        <translation>Stemmata versucht nach {0} weiteren Antworten noch einmal, automatisch zu verdichten.</translation>
    </message>
    <message>
        <source>Automatic compaction is off for this session until you compact it with /compact.</source>
        <translation>Automatische Verdichtung ist für diese Sitzung aus, bis du sie mit /compact verdichtest.</translation>
    </message>
    <message>
        <source>Stemmata tries to compact automatically again after the next reply.</source>
        <translation>Stemmata versucht nach der nächsten Antwort noch einmal, automatisch zu verdichten.</translation>
    </message>
    <message>
        <source>Tool definitions</source>
        <translation>Werkzeugdefinitionen</translation>
    </message>
    <message>
        <source>Summaries</source>
        <translation>Zusammenfassungen</translation>
    </message>
    <message>
        <source>User</source>
        <translation>Benutzer</translation>
    </message>
    <message>
        <source>Assistant</source>
        <translation>Assistent</translation>
    </message>
    <message>
        <source>Thinking</source>
        <translation>Denken</translation>
    </message>
    <message>
        <source>Tool calls</source>
        <translation>Werkzeugaufrufe</translation>
    </message>
    <message>
        <source>Tool results</source>
        <translation>Werkzeugergebnisse</translation>
    </message>
    <message>
        <source>Images</source>
        <translation>Bilder</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Gedächtnis</translation>
    </message>
    <message>
        <source>{0}% read</source>
        <translation>{0} % gelesen</translation>
    </message>
    <message>
        <source>Model: {0}</source>
        <translation>Modell: {0}</translation>
    </message>
    <message>
        <source>Thinking: {0}</source>
        <translation>Denken: {0}</translation>
    </message>
    <message>
        <source>Context: {0}</source>
        <translation>Kontext: {0}</translation>
    </message>
    <message>
        <source>Compactions: {0}</source>
        <translation>Verdichtungen: {0}</translation>
    </message>
    <message>
        <source>Cache: {0}</source>
        <translation>Cache: {0}</translation>
    </message>
    <message>
        <source>Cost: {0}</source>
        <translation>Kosten: {0}</translation>
    </message>
    <message>
        <source>Run: {0}</source>
        <translation>Lauf: {0}</translation>
    </message>
    <message>
        <source>idle</source>
        <translation>ruht</translation>
    </message>
    <message>
        <source>preparing</source>
        <translation>bereitet vor</translation>
    </message>
    <message>
        <source>compacting</source>
        <translation>verdichtet</translation>
    </message>
    <message>
        <source>waiting for the model</source>
        <translation>wartet auf das Modell</translation>
    </message>
    <message>
        <source>streaming</source>
        <translation>wird empfangen</translation>
    </message>
    <message>
        <source>running tools</source>
        <translation>führt Werkzeuge aus</translation>
    </message>
    <message>
        <source>waiting for consent</source>
        <translation>wartet auf Zustimmung</translation>
    </message>
    <message>
        <source>retrying</source>
        <translation>versucht erneut</translation>
    </message>
    <message>
        <source>stopping</source>
        <translation>hält an</translation>
    </message>
    <message>
        <source>interrupted</source>
        <translation>unterbrochen</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>gescheitert</translation>
    </message>
    <message>
        <source>The session is empty.</source>
        <translation>Die Sitzung ist leer.</translation>
    </message>
    <message>
        <source>🔧 System: {0} tokens</source>
        <translation>🔧 System: {0} Tokens</translation>
    </message>
    <message>
        <source>📝 Summary: {0} tokens</source>
        <translation>📝 Zusammenfassung: {0} Tokens</translation>
    </message>
    <message>
        <source>💬 Kept context: {0} tokens</source>
        <translation>💬 Behaltener Kontext: {0} Tokens</translation>
    </message>
    <message>
        <source>🛠️ Tools: {0} tokens ({1} defs + {2} calls)</source>
        <translation>🛠️ Werkzeuge: {0} Tokens ({1} Definitionen + {2} Aufrufe)</translation>
    </message>
    <message>
        <source>and {0} more</source>
        <translation>und {0} weitere</translation>
    </message>
    <message>
        <source>**here** </source>
        <translation>**hier** </translation>
    </message>
    <message>
        <source>/{0} needs a session. /new starts one.</source>
        <translation>/{0} braucht eine Sitzung. /new beginnt eine.</translation>
    </message>
    <message>
        <source>The name “{0}” is invalid: a name has at most {1} lower-case letters, digits and single hyphens.</source>
        <translation>Der Name „{0}“ ist ungültig: Ein Name hat höchstens {1} Kleinbuchstaben, Ziffern und einzelne Bindestriche.</translation>
    </message>
    <message>
        <source>The skill “{0}” is used, although its folder is called “{1}”.</source>
        <translation>Der Skill „{0}“ wird benutzt, obwohl sein Ordner „{1}“ heißt.</translation>
    </message>
    <message>
        <source>Only the first {0} characters of the description are used.</source>
        <translation>Nur die ersten {0} Zeichen der Beschreibung werden benutzt.</translation>
    </message>
    <message>
        <source>The front matter between two lines “---” is missing.</source>
        <translation>Der Vorspann zwischen zwei Zeilen „---“ fehlt.</translation>
    </message>
    <message>
        <source>The description is missing.</source>
        <translation>Die Beschreibung fehlt.</translation>
    </message>
    <message>
        <source>The name “{0}” is taken by {1}.</source>
        <translation>Der Name „{0}“ ist durch {1} belegt.</translation>
    </message>
    <message>
        <source>Nothing to prune: the context is empty.</source>
        <translation>Nichts auszulassen: der Kontext ist leer.</translation>
    </message>
    <message>
        <source>Nothing to prune: only the newest tool results are in the context, and they are kept.</source>
        <translation>Nichts auszulassen: nur die neuesten Werkzeugergebnisse sind im Kontext, und sie bleiben.</translation>
    </message>
    <message>
        <source>Nothing to summarise.</source>
        <translation>Nichts zusammenzufassen.</translation>
    </message>
    <message>
        <source>Everything above is already in the summary.</source>
        <translation>Alles darüber steht schon in der Zusammenfassung.</translation>
    </message>
    <message>
        <source>Nothing to compact: the context is empty.</source>
        <translation>Nichts zu verdichten: der Kontext ist leer.</translation>
    </message>
    <message>
        <source>Already compacted: there are no new messages.</source>
        <translation>Schon verdichtet: es gibt keine neuen Nachrichten.</translation>
    </message>
    <message>
        <source>Nothing to summarise: all entries are in the kept part.</source>
        <translation>Nichts zusammenzufassen: Alle Einträge liegen im behaltenen Teil.</translation>
    </message>
    <message>
        <source>That entry is not on the path to the leaf. Nothing was changed.</source>
        <translation>Dieser Eintrag liegt nicht auf dem Pfad zum Blatt. Nichts wurde geändert.</translation>
    </message>
    <message>
        <source>Nothing to prune: the settings keep all tool results.</source>
        <translation>Nichts auszulassen: nach den Einstellungen bleiben alle Werkzeugergebnisse.</translation>
    </message>
    <message>
        <source>Nothing to prune: no tool result is replaced by a later one.</source>
        <translation>Nichts auszulassen: kein Werkzeugergebnis wird durch ein späteres ersetzt.</translation>
    </message>
    <message>
        <source>Not a link to a session: {0}
A valid link looks like {1}1a2b3c4d/5e6f7a8b.</source>
        <translation>Kein Link zu einer Sitzung: {0}
Ein gültiger Link sieht so aus: {1}1a2b3c4d/5e6f7a8b.</translation>
    </message>
    <message>
        <source>Unknown API “{0}”. Available: {1}.</source>
        <translation>Unbekannte API „{0}“. Verfügbar: {1}.</translation>
    </message>
    <message>
        <source>Unknown thinking level “{0}”. Available: {1}, or a number of tokens from {2} on.</source>
        <translation>Unbekannte Denkstufe „{0}“. Verfügbar: {1} oder eine Zahl von Tokens ab {2}.</translation>
    </message>
    <message>
        <source>{0} is too large to be read when it is unpacked. Nothing was imported from it.</source>
        <translation>{0} ist entpackt zu groß, um gelesen zu werden. Nichts wurde daraus importiert.</translation>
    </message>
    <message>
        <source>{0} contains no messages of a Codex session.</source>
        <translation>{0} enthält keine Nachrichten einer Sitzung von Codex.</translation>
    </message>
    <message>
        <source>{0} is far larger than a chat export when it is unpacked. Stemmata stopped reading it.</source>
        <translation>{0} ist entpackt weit größer als ein Chat-Export. Stemmata hat das Lesen abgebrochen.</translation>
    </message>
    <message>
        <source>{0} is a damaged ZIP archive.</source>
        <translation>{0} ist ein beschädigtes ZIP-Archiv.</translation>
    </message>
    <message>
        <source>The tool server is not running.</source>
        <translation>Der Werkzeugserver läuft nicht.</translation>
    </message>
    <message>
        <source>{0} limits the rate of requests{1}.{2}</source>
        <translation>{0} begrenzt die Anfragen{1}.{2}</translation>
    </message>
    <message>
        <source>{0} reports an internal error{1}.{2}</source>
        <translation>{0} meldet einen internen Fehler{1}.{2}</translation>
    </message>
    <message>
        <source>{0} redirects to {1}. Use that address for this connection.</source>
        <translation>{0} leitet um zu {1}. Verwende diese Adresse für die Verbindung.</translation>
    </message>
    <message>
        <source>{0} sent an invalid answer.</source>
        <translation>{0} hat eine ungültige Antwort gesendet.</translation>
    </message>
    <message>
        <source>{0} cannot be reached: no network route to {1}. Is this machine online?</source>
        <translation>{0} ist nicht erreichbar: keine Netzroute zu {1}. Ist dieser Rechner online?</translation>
    </message>
    <message>
        <source>{0} sent nothing for {1} seconds.</source>
        <translation>{0} hat {1} Sekunden lang nichts gesendet.</translation>
    </message>
    <message>
        <source>{0} does not accept PDFs</source>
        <translation>{0} nimmt keine PDFs an</translation>
    </message>
    <message>
        <source>{0} does not accept images</source>
        <translation>{0} nimmt keine Bilder an</translation>
    </message>
    <message>
        <source>A message can have at most {0} attachments.</source>
        <translation>Eine Nachricht kann höchstens {0} Anhänge haben.</translation>
    </message>
    <message>
        <source>“{0}” is not an image, a PDF or text. Models do not accept other files.</source>
        <translation>„{0}“ ist weder Bild noch PDF noch Text. Andere Dateien nimmt kein Modell an.</translation>
    </message>
    <message>
        <source>“{0}” is not a regular file.</source>
        <translation>„{0}“ ist keine gewöhnliche Datei.</translation>
    </message>
    <message>
        <source>The session&apos;s leaf moved to another branch. Nothing was changed.</source>
        <translation>Das Blatt der Sitzung liegt jetzt auf einem anderen Zweig. Nichts wurde geändert.</translation>
    </message>
    <message>
        <source>A compaction is due, but it is not possible.</source>
        <translation>Eine Verdichtung ist fällig, aber nicht möglich.</translation>
    </message>
    <message>
        <source>Unknown command /{0}. /help lists all commands. Nothing was sent.</source>
        <translation>Unbekannter Befehl /{0}. /help nennt alle Befehle. Nichts wurde gesendet.</translation>
    </message>
    <message>
        <source>Unknown command /{0}. Did you mean /{1}? /help lists all commands. Nothing was sent.</source>
        <translation>Unbekannter Befehl /{0}. Meintest du /{1}? /help nennt alle Befehle. Nichts wurde gesendet.</translation>
    </message>
    <message>
        <source>Continued in the new session {0} of the conversation {1}. In that session, /reset back returns to this one.</source>
        <translation>In der neuen Sitzung {0} der Unterhaltung {1} fortgesetzt. Dort führt /reset back in diese Sitzung zurück.</translation>
    </message>
    <message>
        <source>- **{0}** ({1}, ≈ {2} tokens) {3}</source>
        <translation>- **{0}** ({1}, ≈ {2} Tokens) {3}</translation>
    </message>
    <message>
        <source>Skill “{0}” deactivated.</source>
        <translation>Skill „{0}“ deaktiviert.</translation>
    </message>
    <message>
        <source>Reasoning in the gateway: {0}</source>
        <translation>Gedankengang im Gateway: {0}</translation>
    </message>
    <message>
        <source>Elevated rights in the gateway: {0}</source>
        <translation>Erhöhte Rechte im Gateway: {0}</translation>
    </message>
    <message>
        <source>Sending in the gateway: {0}</source>
        <translation>Senden im Gateway: {0}</translation>
    </message>
    <message>
        <source>Compactions in the gateway: {0}</source>
        <translation>Verdichtungen im Gateway: {0}</translation>
    </message>
    <message>
        <source>Automatic compaction: off in the settings</source>
        <translation>Automatische Verdichtung: aus in den Einstellungen</translation>
    </message>
    <message>
        <source>Skills</source>
        <translation>Skills</translation>
    </message>
    <message>
        <source>No folder of skills is chosen. Choose one in the settings, under Chat.</source>
        <translation>Kein Ordner mit Skills ist gewählt. Wähle einen in den Einstellungen unter „Chat“.</translation>
    </message>
    <message>
        <source>- Problem: {0} {1}</source>
        <translation>- Problem: {0} {1}</translation>
    </message>
    <message>
        <source>The chosen folders hold no skills.</source>
        <translation>Die gewählten Ordner enthalten keine Skills.</translation>
    </message>
    <message>
        <source>active, by a message</source>
        <translation>aktiv, durch eine Nachricht</translation>
    </message>
    <message>
        <source>active</source>
        <translation>aktiv</translation>
    </message>
    <message>
        <source>Skill “{0}” activated: ≈ {1} tokens in the system prompt.</source>
        <translation>Skill „{0}“ aktiviert: ≈ {1} Tokens im System-Prompt.</translation>
    </message>
    <message>
        <source>Verbosity: {0}</source>
        <translation>Meldungen: {0}</translation>
    </message>
    <message>
        <source>Conversation: {0}</source>
        <translation>Unterhaltung: {0}</translation>
    </message>
    <message>
        <source>Archive: {0}</source>
        <translation>Archiv: {0}</translation>
    </message>
    <message>
        <source>Verbosity: off. Notices of automatic compactions and tool calls are left out.</source>
        <translation>Meldungen: off. Automatische Verdichtungen und Werkzeugaufrufe werden nicht gemeldet.</translation>
    </message>
    <message>
        <source>Verbosity: full. The output of tools is shown as well.</source>
        <translation>Meldungen: full. Auch die Ausgabe von Werkzeugen wird gezeigt.</translation>
    </message>
    <message>
        <source>Automatic compaction: on</source>
        <translation>Automatische Verdichtung: an</translation>
    </message>
    <message>
        <source>Automatic compaction: off for this session</source>
        <translation>Automatische Verdichtung: aus für diese Sitzung</translation>
    </message>
    <message>
        <source>Reset in the gateway: daily at {0}:00</source>
        <translation>Neubeginn im Gateway: täglich um {0}:00 Uhr</translation>
    </message>
    <message>
        <source>Reset in the gateway: after {0} minutes without messages</source>
        <translation>Neubeginn im Gateway: nach {0} Minuten ohne Nachrichten</translation>
    </message>
    <message>
        <source>Stemmata was started already (process {0}), but its window does not respond yet. Nothing was changed. Answer its dialog, wait for it, or end that process.</source>
        <translation>Stemmata wurde bereits gestartet (Prozess {0}), aber sein Fenster antwortet noch nicht. Nichts wurde geändert. Beantworte seinen Dialog, warte darauf, oder beende diesen Prozess.</translation>
    </message>
    <message>
        <source>Nothing to summarise: there are no messages from here on.</source>
        <translation>Nichts zusammenzufassen: Ab hier gibt es keine Nachrichten.</translation>
    </message>
    <message>
        <source>Tool results take ≈ {0} token; pruning starts above {1}.</source>
        <translation>Werkzeugergebnisse nehmen ≈ {0} Token ein; ausgelassen wird ab {1}.</translation>
    </message>
    <message>
        <source>Task notification</source>
        <translation>Meldung einer Aufgabe</translation>
    </message>
    <message>
        <source>Reminder for the model</source>
        <translation>Erinnerung für das Modell</translation>
    </message>
    <message>
        <source>Note for the model about the commands that follow</source>
        <translation>Hinweis für das Modell zu den Befehlen, die folgen</translation>
    </message>
    <message>
        <source>Editor&apos;s note for the model</source>
        <translation>Notiz des Editors für das Modell</translation>
    </message>
    <message>
        <source>Hook&apos;s note for the model</source>
        <translation>Notiz eines Hooks für das Modell</translation>
    </message>
    <message>
        <source>The command printed nothing</source>
        <translation>Der Befehl hat nichts ausgegeben</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Notiz</translation>
    </message>
    <message>
        <source>“{0}:{1}” is not a date. Write 2026-11-25, 2026-11, 2026, today, yesterday, or 7d, 2w, 3m, 1y ago.</source>
        <translation>„{0}:{1}“ ist kein Datum. Schreibe 2026-11-25, 2026-11, 2026, today (heute), yesterday (gestern) oder 7d, 2w, 3m, 1y (vor so vielen Tagen, Wochen, Monaten, Jahren).</translation>
    </message>
    <message>
        <source>“{0}:{1}” is unknown. Use one of: {2}.</source>
        <translation>„{0}:{1}“ ist unbekannt. Möglich sind: {2}.</translation>
    </message>
    <message>
        <source>“cost{0}{1}” is not an amount in dollars. Write cost&gt;0.50.</source>
        <translation>„cost{0}{1}“ ist kein Betrag in Dollar. Schreibe cost&gt;0.50.</translation>
    </message>
    <message>
        <source>“role:{0}” is unknown. Use one of: {1}.</source>
        <translation>„role:{0}“ ist unbekannt. Möglich sind: {1}.</translation>
    </message>
    <message>
        <source>Another program has rewritten the JSON export {0}; at most {1} MB of such a file can be read. Export the session from Stemmata again.</source>
        <translation>Ein anderes Programm hat den JSON-Export {0} neu geschrieben; höchstens {1} MB einer solchen Datei lassen sich lesen. Exportiere die Sitzung noch einmal aus Stemmata.</translation>
    </message>
    <message>
        <source>{0} is an export of Stemmata that lost its beginning. Nothing was imported.</source>
        <translation>{0} ist ein Export von Stemmata, dem der Anfang fehlt. Es wurde nichts importiert.</translation>
    </message>
    <message>
        <source>{0} has a row that is too large.</source>
        <translation>{0} enthält eine zu große Zeile.</translation>
    </message>
    <message>
        <source>Sessions cannot be handed over to {0}. Possible: {1}.</source>
        <translation>Sitzungen können nicht an {0} übergeben werden. Möglich: {1}.</translation>
    </message>
    <message>
        <source>{0} is damaged: {1}.</source>
        <translation>{0} ist beschädigt: {1}.</translation>
    </message>
    <message>
        <source>{0} was written while it was read. Nothing was imported from it; try again.</source>
        <translation>{0} wurde während des Lesens geändert. Nichts wurde daraus importiert; versuch es noch einmal.</translation>
    </message>
    <message>
        <source>{0} is damaged or is not a database that can be read ({1}).</source>
        <translation>{0} ist beschädigt oder keine lesbare Datenbank ({1}).</translation>
    </message>
    <message>
        <source>Another program has locked {0}. Nothing was imported from it; try again.</source>
        <translation>Ein anderes Programm hat {0} gesperrt. Nichts wurde daraus importiert; versuch es noch einmal.</translation>
    </message>
    <message>
        <source>A conversation is nested too deep. The rest of the file is not read.</source>
        <translation>Eine Unterhaltung ist zu tief verschachtelt. Der Rest der Datei wird nicht gelesen.</translation>
    </message>
    <message>
        <source>{0} is larger than {1} MB, the most that can be read of a session file of this tool.</source>
        <translation>{0} ist größer als {1} MB; mehr lässt sich von einer Sitzungsdatei dieses Werkzeugs nicht lesen.</translation>
    </message>
    <message>
        <source>The import was cancelled while an archive was unpacked.</source>
        <translation>Der Import wurde abgebrochen, während ein Archiv entpackt wurde.</translation>
    </message>
    <message>
        <source>No command continues this session in its tool. Hand it off to continue it elsewhere.</source>
        <translation>Kein Befehl setzt diese Sitzung in ihrem Programm fort. Übergib sie, um sie anderswo fortzusetzen.</translation>
    </message>
    <message>
        <source>The session has no source file on this machine any more. It is safe here.</source>
        <translation>Die Quelldatei der Sitzung ist nicht mehr auf diesem Rechner. Die Sitzung ist hier sicher.</translation>
    </message>
    <message>
        <source>No file manager could be started. The source file is {0}.</source>
        <translation>Es ließ sich kein Dateimanager starten. Die Quelldatei ist {0}.</translation>
    </message>
    <message>
        <source>Nothing to prune: no tool result in the context may be pruned.</source>
        <translation>Nichts auszulassen: kein Werkzeugergebnis im Kontext darf ausgelassen werden.</translation>
    </message>
    <message>
        <source>Queued message</source>
        <translation>Eingereihte Nachricht</translation>
    </message>
    <message>
        <source>Attached file</source>
        <translation>Angehängte Datei</translation>
    </message>
    <message>
        <source>Attached folder</source>
        <translation>Angehängter Ordner</translation>
    </message>
    <message>
        <source>Changed file</source>
        <translation>Geänderte Datei</translation>
    </message>
    <message>
        <source>Selected lines</source>
        <translation>Markierte Zeilen</translation>
    </message>
    <message>
        <source>Memory file</source>
        <translation>Gedächtnisdatei</translation>
    </message>
    <message>
        <source>Hook&apos;s note</source>
        <translation>Notiz eines Hooks</translation>
    </message>
    <message>
        <source>List of skills</source>
        <translation>Liste der Skills</translation>
    </message>
    <message>
        <source>Kept messages</source>
        <translation>Behaltene Nachrichten</translation>
    </message>
    <message>
        <source>No terminal was found. Copy the command instead, and run it where you want.</source>
        <translation>Kein Terminal gefunden. Kopiere den Befehl und führe ihn aus, wo du möchtest.</translation>
    </message>
    <message>
        <source>{0} is not installed, or not on the PATH. Copy the command instead.</source>
        <translation>{0} ist nicht installiert oder nicht im PATH. Kopiere stattdessen den Befehl.</translation>
    </message>
    <message>
        <source>The folder {0} does not exist. Nothing was started.</source>
        <translation>Der Ordner {0} existiert nicht. Nichts wurde gestartet.</translation>
    </message>
    <message>
        <source>{0} could not be started. Copy the command instead.</source>
        <translation>{0} konnte nicht gestartet werden. Kopiere stattdessen den Befehl.</translation>
    </message>
    <message>
        <source>File not found: {0}.</source>
        <translation>Datei nicht gefunden: {0}.</translation>
    </message>
    <message>
        <source>has no messages</source>
        <translation>hat keine Nachrichten</translation>
    </message>
    <message>
        <source>is empty</source>
        <translation>ist leer</translation>
    </message>
    <message>
        <source>has no id</source>
        <translation>hat keine Kennung</translation>
    </message>
    <message>
        <source>{0} contains no messages of a Claude Code session.</source>
        <translation>{0} enthält keine Nachrichten einer Sitzung von Claude Code.</translation>
    </message>
    <message>
        <source>{0} is compressed (gzip). Unpack it and import the unpacked file.</source>
        <translation>{0} ist komprimiert (gzip). Entpacke die Datei und importiere die entpackte.</translation>
    </message>
    <message>
        <source>{0} is compressed (Zstandard). Unpack it and import the unpacked file.</source>
        <translation>{0} ist komprimiert (Zstandard). Entpacke die Datei und importiere die entpackte.</translation>
    </message>
    <message>
        <source>{0} is a ZIP archive, but no chat export can be read in it. Unpack it and import the unpacked files.</source>
        <translation>{0} ist ein ZIP-Archiv, aber kein Chat-Export lässt sich darin lesen. Entpacke es und importiere die entpackten Dateien.</translation>
    </message>
    <message>
        <source>{0} is a web page, such as an export as HTML. Import the file that it was made from.</source>
        <translation>{0} ist eine Webseite, etwa ein Export als HTML. Importiere die Datei, aus der sie entstanden ist.</translation>
    </message>
    <message>
        <source>{0} is encoded as UTF-16; session files are UTF-8. Save it as UTF-8 and import the new file.</source>
        <translation>{0} ist als UTF-16 kodiert; Sitzungsdateien sind UTF-8. Speichere die Datei als UTF-8 und importiere die neue.</translation>
    </message>
    <message>
        <source>{0} is not a session file of a supported tool. Supported: {1}.</source>
        <translation>{0} ist keine Sitzungsdatei eines unterstützten Werkzeugs. Unterstützt: {1}.</translation>
    </message>
    <message>
        <source>{0} contains no session files.</source>
        <translation>{0} enthält keine Sitzungsdateien.</translation>
    </message>
    <message>
        <source>{0} contains no session files among the {1} files that Stemmata looked at.</source>
        <translation>{0} enthält unter den {1} Dateien, die Stemmata angesehen hat, keine Sitzungsdateien.</translation>
    </message>
    <message>
        <source>{0} is empty.</source>
        <translation>{0} ist leer.</translation>
    </message>
    <message>
        <source>{0} is a damaged database.</source>
        <translation>{0} ist eine beschädigte Datenbank.</translation>
    </message>
    <message>
        <source>{0} is a binary file, not a session.</source>
        <translation>{0} ist eine Binärdatei und keine Sitzung.</translation>
    </message>
    <message>
        <source>{0} is the dump of a database. Load it into a database and import that.</source>
        <translation>{0} ist der Textauszug (Dump) einer Datenbank. Lade ihn in eine Datenbank und importiere diese.</translation>
    </message>
    <message>
        <source>{0} is the database of a program whose sessions Stemmata does not read.</source>
        <translation>{0} ist die Datenbank eines Programms, dessen Sitzungen Stemmata nicht liest.</translation>
    </message>
    <message>
        <source>{0} contains no sessions, but {1}, in an export of {2}.</source>
        <translation>{0} enthält keine Sitzungen, sondern in einem Export von {2} Folgendes: {1}.</translation>
    </message>
    <message>
        <source>Its name is not valid, or leads out of the archive.</source>
        <translation>Ihr Name ist ungültig oder führt aus dem Archiv hinaus.</translation>
    </message>
    <message>
        <source>It is a link.</source>
        <translation>Sie ist ein Link.</translation>
    </message>
    <message>
        <source>It is encrypted or packed in an unknown way.</source>
        <translation>Sie ist verschlüsselt oder auf unbekannte Weise gepackt.</translation>
    </message>
    <message>
        <source>{0} cannot be unpacked: {1}.</source>
        <translation>{0} lässt sich nicht entpacken: {1}.</translation>
    </message>
    <message>
        <source>{0} has more than {1} files. Unpack it and import the folder.</source>
        <translation>{0} enthält mehr als {1} Dateien. Entpacke das Archiv und importiere den Ordner.</translation>
    </message>
    <message>
        <source>Another file has its name.</source>
        <translation>Eine andere Datei hat ihren Namen.</translation>
    </message>
    <message>
        <source>It is damaged: {0}.</source>
        <translation>Sie ist beschädigt: {0}.</translation>
    </message>
    <message>
        <source>The end of {0} is missing, for instance because its download was interrupted. Nothing was imported from it, since its sessions may lack files. Get the archive again.</source>
        <translation>Das Ende von {0} fehlt, zum Beispiel weil der Download abgebrochen wurde. Daraus wurde nichts importiert, da den Sitzungen darin Dateien fehlen können. Lade das Archiv noch einmal herunter.</translation>
    </message>
    <message>
        <source>{0} is too large when it is unpacked: for sessions, or for the free space.</source>
        <translation>{0} ist entpackt zu groß: für Sitzungen oder für den freien Speicherplatz.</translation>
    </message>
    <message>
        <source>{0} is a folder, not a session file.</source>
        <translation>{0} ist ein Ordner und keine Sitzungsdatei.</translation>
    </message>
    <message>
        <source>{0} is not a regular file. Pipes, sockets and devices are not read.</source>
        <translation>{0} ist keine gewöhnliche Datei. Pipes, Sockets und Geräte werden nicht gelesen.</translation>
    </message>
    <message>
        <source>No permission to read {0}.</source>
        <translation>Keine Berechtigung, {0} zu lesen.</translation>
    </message>
    <message>
        <source>Could not read {0}: {1}.</source>
        <translation>{0} konnte nicht gelesen werden: {1}.</translation>
    </message>
    <message>
        <source>This server has no key yet. Enter its key here.</source>
        <translation>Dieser Server hat noch keinen Schlüssel. Gib seinen Schlüssel hier ein.</translation>
    </message>
    <message>
        <source>The server failed: {0}.</source>
        <translation>Der Server ist gescheitert: {0}.</translation>
    </message>
    <message>
        <source>Nothing answers at {0}.</source>
        <translation>Unter {0} antwortet nichts.</translation>
    </message>
    <message>
        <source>{0} Its last output: {1}</source>
        <translation>{0} Seine letzte Ausgabe: {1}</translation>
    </message>
    <message>
        <source>The server sent an invalid answer: {0}.</source>
        <translation>Der Server hat eine ungültige Antwort gesendet: {0}.</translation>
    </message>
    <message>
        <source>The program ended before it answered.</source>
        <translation>Das Programm endete, bevor es antwortete.</translation>
    </message>
    <message>
        <source>{0} does not speak TLS. Write an address into its settings that begins with http.</source>
        <translation>{0} spricht kein TLS. Trage in seine Einstellungen eine Adresse ein, die mit http beginnt.</translation>
    </message>
    <message>
        <source>The secure connection to {0} failed: {1}</source>
        <translation>Die sichere Verbindung zu {0} ist gescheitert: {1}</translation>
    </message>
    <message>
        <source>Nothing answers at {0}, the proxy for {1}.</source>
        <translation>Unter {0}, dem Proxy für {1}, antwortet nichts.</translation>
    </message>
    <message>
        <source>The server ended.</source>
        <translation>Der Server hat sich beendet.</translation>
    </message>
    <message>
        <source>The folder “{0}” does not exist.</source>
        <translation>Der Ordner „{0}“ existiert nicht.</translation>
    </message>
    <message>
        <source>The program “{0}” was not found.</source>
        <translation>Das Programm „{0}“ wurde nicht gefunden.</translation>
    </message>
    <message>
        <source>No permission to run “{0}”.</source>
        <translation>„{0}“ darf nicht ausgeführt werden.</translation>
    </message>
    <message>
        <source>The server did not answer within {0} s.</source>
        <translation>Der Server hat nicht innerhalb von {0} s geantwortet.</translation>
    </message>
    <message>
        <source>The value of the header {0} holds characters that cannot be sent.</source>
        <translation>Der Wert des Headers {0} enthält Zeichen, die nicht gesendet werden können.</translation>
    </message>
    <message>
        <source>The server refused the key (HTTP {0}). Enter another key.</source>
        <translation>Der Server hat den Schlüssel abgelehnt (HTTP {0}). Gib einen anderen Schlüssel ein.</translation>
    </message>
    <message>
        <source>The server does not allow access with this key (HTTP 403). Ask its operator what the key permits.</source>
        <translation>Der Server erlaubt mit diesem Schlüssel keinen Zugriff (HTTP 403). Frage den Betreiber, was der Schlüssel erlaubt.</translation>
    </message>
    <message>
        <source>{0} cannot summarise at the moment{1}. Nothing was changed. Try again later, or use the digest.</source>
        <translation>{0} kann gerade nicht zusammenfassen{1}. Nichts wurde geändert. Versuche es später noch einmal oder nimm den Auszug.</translation>
    </message>
    <message>
        <source>The request has more bytes than {0} accepts{1}. Compact the session or leave out files.</source>
        <translation>Die Anfrage hat mehr Bytes, als {0} annimmt{1}. Verdichte die Sitzung oder lass Dateien weg.</translation>
    </message>
    <message>
        <source>{0} did not complete its answer within {1} seconds.</source>
        <translation>{0} hat die Antwort nicht innerhalb von {1} Sekunden beendet.</translation>
    </message>
    <message>
        <source>{0} does not speak TLS: its address begins with https, but the server answers without encryption. Give the connection an address that begins with http, or that of a server with encryption.</source>
        <translation>{0} spricht kein TLS: Die Adresse beginnt mit https, aber der Server antwortet unverschlüsselt. Gib der Verbindung eine Adresse, die mit http beginnt, oder die eines Servers mit Verschlüsselung.</translation>
    </message>
    <message>
        <source>“{0}” is too long to be sent as text: it has {1} kB, and at most {2} kB can be sent.</source>
        <translation>„{0}“ ist zu lang, um als Text gesendet zu werden: es hat {1} kB, und höchstens {2} kB können gesendet werden.</translation>
    </message>
    <message>
        <source>This session uses “{0}”, but no connection has that name. Name the connection as well: /model CONNECTION/MODEL.</source>
        <translation>Diese Sitzung benutzt „{0}“, aber keine Verbindung hat diesen Namen. Nenne auch die Verbindung: /model VERBINDUNG/MODELL.</translation>
    </message>
    <message>
        <source>- **{0}** ({1}, ≈ {2} token) {3}</source>
        <translation>- **{0}** ({1}, ≈ {2} Token) {3}</translation>
    </message>
    <message>
        <source>Skill “{0}” activated: ≈ {1} token in the system prompt.</source>
        <translation>Skill „{0}“ aktiviert: ≈ {1} Token im System-Prompt.</translation>
    </message>
    <message>
        <source>Reset in the gateway: after {0} minute without messages</source>
        <translation>Neubeginn im Gateway: nach {0} Minute ohne Nachrichten</translation>
    </message>
    <message>
        <source>Verbosity: on. Notices of automatic compactions and tool calls are shown.</source>
        <translation>Meldungen: on. Automatische Verdichtungen und Werkzeugaufrufe werden gemeldet.</translation>
    </message>
    <message>
        <source>Source file: {0}</source>
        <translation>Quelldatei: {0}</translation>
    </message>
    <message>
        <source>Name a session: write its id, the start of its id, or “latest” after /resume.</source>
        <translation>Nenne eine Sitzung: /resume mit ihrer Kennung, deren Anfang oder latest.</translation>
    </message>
    <message>
        <source>Stopped. The received part of the reply is kept.</source>
        <translation>Angehalten. Der empfangene Teil der Antwort bleibt erhalten.</translation>
    </message>
    <message>
        <source>No reply is running.</source>
        <translation>Es läuft keine Antwort.</translation>
    </message>
    <message>
        <source>Forked from {0}.</source>
        <translation>Abgezweigt von {0}.</translation>
    </message>
    <message>
        <source>Nothing to label: the session has no messages.</source>
        <translation>Nichts zu beschriften: die Sitzung hat keine Nachrichten.</translation>
    </message>
    <message>
        <source>The session is called “{0}”.</source>
        <translation>Die Sitzung heißt „{0}“.</translation>
    </message>
    <message>
        <source>The session has no name.</source>
        <translation>Die Sitzung hat keinen Namen.</translation>
    </message>
    <message>
        <source>No model is connected. Nothing was changed. Choose “Connect a model…” in the window.</source>
        <translation>Kein Modell ist verbunden. Nichts wurde geändert. Wähle „Modell verbinden …“ im Fenster.</translation>
    </message>
    <message>
        <source>Write /skill NAME to activate a skill, /skill NAME off to deactivate it.</source>
        <translation>Schreibe /skill NAME, um einen Skill zu aktivieren, /skill NAME off, um ihn zu deaktivieren.</translation>
    </message>
    <message>
        <source>{0}: {1} bytes written.</source>
        <translation>{0}: {1} Bytes geschrieben.</translation>
    </message>
    <message>
        <source>Continued in the new session {0}.</source>
        <translation>In der neuen Sitzung {0} fortgesetzt.</translation>
    </message>
    <message>
        <source>Returned to session {0}.</source>
        <translation>Zurück in Sitzung {0}.</translation>
    </message>
    <message>
        <source>Unknown word “{0}”. Write /prune or /prune duplicates. Nothing was pruned.</source>
        <translation>Unbekanntes Wort „{0}“. Schreib /prune oder /prune duplicates. Nichts wurde ausgelassen.</translation>
    </message>
    <message>
        <source>Labelled “{0}”.</source>
        <translation>Mit „{0}“ beschriftet.</translation>
    </message>
    <message>
        <source>Label removed.</source>
        <translation>Beschriftung entfernt.</translation>
    </message>
    <message>
        <source>Give one of these levels: {0}. Nothing was changed.</source>
        <translation>Gib eine dieser Stufen an: {0}. Es wurde nichts geändert.</translation>
    </message>
    <message>
        <source>Give a format and a file: /export {0} FILE. Formats: {1}.</source>
        <translation>Gib Format und Datei an: /export {0} FILE. Formate: {1}.</translation>
    </message>
    <message>
        <source>{0} already exists. Nothing was written.</source>
        <translation>{0} gibt es schon. Nichts wurde geschrieben.</translation>
    </message>
    <message>
        <source>The session is empty, so /{0} has no effect.</source>
        <translation>Die Sitzung ist leer, /{0} bewirkt nichts.</translation>
    </message>
    <message>
        <source>🔧 System: {0} token</source>
        <translation>🔧 System: {0} Token</translation>
    </message>
    <message>
        <source>🔧 System with tool definitions: {0} token (inferred from the first report)</source>
        <translation>🔧 System mit Werkzeugdefinitionen: {0} Token (aus der ersten Meldung erschlossen)</translation>
    </message>
    <message>
        <source>🔧 System with tool definitions: {0} tokens (inferred from the first report)</source>
        <translation>🔧 System mit Werkzeugdefinitionen: {0} Tokens (aus der ersten Meldung erschlossen)</translation>
    </message>
    <message>
        <source>📝 Summary: {0} token</source>
        <translation>📝 Zusammenfassung: {0} Token</translation>
    </message>
    <message>
        <source>💬 Kept context: {0} token</source>
        <translation>💬 Behaltener Kontext: {0} Token</translation>
    </message>
    <message>
        <source>🧹 Auto-compaction complete (compaction {0})</source>
        <translation>🧹 Automatische Verdichtung fertig (Verdichtung {0})</translation>
    </message>
    <message>
        <source>Summary: {0}, {1}.</source>
        <translation>Zusammenfassung: {0}, {1}.</translation>
    </message>
    <message>
        <source>{0} tokens in, {1} out, {2}</source>
        <translation>{0} Tokens Eingabe, {1} Ausgabe, {2}</translation>
    </message>
    <message>
        <source>⚠️ Compactions are frequent and save little. See “Troubleshooting” in the guide.</source>
        <translation>⚠️ Verdichtungen sind häufig und sparen wenig. Siehe „Troubleshooting“ in der Anleitung.</translation>
    </message>
    <message>
        <source>The attempt cost {0}.</source>
        <translation>Der Versuch kostete {0}.</translation>
    </message>
    <message>
        <source>Threshold: {0}% of the window, {1} tokens reserved</source>
        <translation>Schwelle: {0} % des Fensters, {1} Tokens reserviert</translation>
    </message>
    <message>
        <source>Prunes: tool results above {0} tokens, keeps {1} tokens, policy {2}</source>
        <translation>Lässt aus: Werkzeugergebnisse über {0} Tokens, behält {1} Tokens, Regel {2}</translation>
    </message>
    <message>
        <source>Resumes in full up to: {0}% of the window</source>
        <translation>Setzt vollständig fort bis: {0} % des Fensters</translation>
    </message>
    <message>
        <source>Summary: the digest, at no cost.</source>
        <translation>Zusammenfassung: der Auszug, ohne Kosten.</translation>
    </message>
    <message>
        <source>{0} tokens in, {1} out</source>
        <translation>{0} Tokens Eingabe, {1} Ausgabe</translation>
    </message>
    <message>
        <source>The model’s window is small ({0} tokens). Choose a model with a larger window.</source>
        <translation>Das Fenster des Modells ist klein ({0} Tokens). Wähle ein Modell mit größerem Fenster.</translation>
    </message>
    <message>
        <source>{0} of {1} tokens are reserved, so compaction begins at {2}. Lower compaction.reserve_tokens.</source>
        <translation>{0} von {1} Tokens sind reserviert, deshalb beginnt die Verdichtung bei {2}. Verkleinere compaction.reserve_tokens.</translation>
    </message>
    <message>
        <source>The system prompt and the tools take {0} tokens, and no compaction leaves them out. Offer fewer tools.</source>
        <translation>Systemprompt und Werkzeuge belegen {0} Tokens, und keine Verdichtung lässt sie aus. Biete weniger Werkzeuge an.</translation>
    </message>
    <message>
        <source>Tool results take {0} of {1} tokens. Prune tool output, or lower compaction.tool_keep_threshold.</source>
        <translation>Werkzeugausgaben belegen {0} von {1} Tokens. Lass Werkzeugausgaben aus oder verkleinere compaction.tool_keep_threshold.</translation>
    </message>
    <message>
        <source>Single messages or replies are large. Cut or exclude them in the context.</source>
        <translation>Einzelne Nachrichten oder Antworten sind groß. Kürze sie oder schließe sie aus dem Kontext aus.</translation>
    </message>
    <message>
        <source>The server reported no tokens for the attempt.</source>
        <translation>Der Server meldete für den Versuch keine Tokens.</translation>
    </message>
    <message>
        <source>🛠️ Tools: {0} token of calls</source>
        <translation>🛠️ Werkzeuge: {0} Token aus Aufrufen</translation>
    </message>
    <message>
        <source>🛠️ Tools: {0} tokens of calls</source>
        <translation>🛠️ Werkzeuge: {0} Tokens aus Aufrufen</translation>
    </message>
    <message>
        <source>🛠️ Tools: {0} token ({1} defs + {2} calls)</source>
        <translation>🛠️ Werkzeuge: {0} Token ({1} Definitionen + {2} Aufrufe)</translation>
    </message>
    <message>
        <source>Keeps: {0} tokens</source>
        <translation>Behält: {0} Tokens</translation>
    </message>
    <message>
        <source>The digest needs no model: choose it in the preview of a compaction.</source>
        <translation>Der Auszug braucht kein Modell: Wähle ihn in der Vorschau einer Verdichtung.</translation>
    </message>
    <message>
        <source>Keeps: {0} message</source>
        <translation>Behält: {0} Nachricht</translation>
    </message>
    <message>
        <source>Keeps: {0} messages</source>
        <translation>Behält: {0} Nachrichten</translation>
    </message>
    <message>
        <source>Notices: on</source>
        <translation>Hinweise: ein</translation>
    </message>
    <message>
        <source>Notices: off</source>
        <translation>Hinweise: aus</translation>
    </message>
    <message>
        <source>Reason: after the reply, the context was above the trigger.</source>
        <translation>Grund: Nach der Antwort lag der Kontext über der Schwelle.</translation>
    </message>
    <message>
        <source>Reason: the next request was above the trigger.</source>
        <translation>Grund: Die nächste Anfrage lag über der Schwelle.</translation>
    </message>
    <message>
        <source>Reason: the provider refused the request as too long.</source>
        <translation>Grund: Der Anbieter lehnte die Anfrage als zu lang ab.</translation>
    </message>
    <message>
        <source>The context was not counted: the connection of this session does not exist or cannot be used. Choose a model, or connect one.</source>
        <translation>Der Kontext wurde nicht gezählt: Die Verbindung dieser Sitzung gibt es nicht, oder sie ist nicht nutzbar. Wähle ein Modell oder verbinde eines.</translation>
    </message>
    <message>
        <source>The request could not be counted, so its size is an estimate.</source>
        <translation>Die Anfrage konnte nicht gezählt werden, ihre Größe ist also geschätzt.</translation>
    </message>
    <message>
        <source>“{0}” does not count tokens, or its answer was no number. The figures stay estimates.</source>
        <translation>„{0}“ zählt keine Tokens, oder die Antwort war keine Zahl. Die Angaben bleiben Schätzungen.</translation>
    </message>
    <message>
        <source>The session was not finalised, because its summary could not be written: {0}</source>
        <translation>Die Sitzung wurde nicht abgeschlossen, weil ihre Zusammenfassung nicht geschrieben werden konnte: {0}</translation>
    </message>
    <message>
        <source>Nothing to send: every entry is excluded from the context.</source>
        <translation>Nichts zu senden: jeder Eintrag ist vom Kontext ausgeschlossen.</translation>
    </message>
    <message>
        <source>Resumed from a summary in a new session: the whole session would fill {0}% of the window; the limit is {1}%.</source>
        <translation>Ab einer Zusammenfassung in einer neuen Sitzung fortgesetzt: die ganze Sitzung füllte {0} % des Fensters; die Grenze ist {1} %.</translation>
    </message>
    <message>
        <source>Resumed from a summary in a new session. The old session is unchanged.</source>
        <translation>Aus einer Zusammenfassung in einer neuen Sitzung fortgesetzt. Die alte Sitzung ist unverändert.</translation>
    </message>
    <message>
        <source>Resumed in full: the session fills {0}% of the window; the limit is {1}%.</source>
        <translation>Vollständig fortgesetzt: die Sitzung füllt {0} % des Fensters; die Grenze ist {1} %.</translation>
    </message>
    <message>
        <source>Continued in session {0}, which begins with a summary of this one.</source>
        <translation>Fortgesetzt in der Sitzung {0}, die mit einer Zusammenfassung dieser Sitzung beginnt.</translation>
    </message>
    <message>
        <source>Resumed in full: the model’s window is unknown.</source>
        <translation>Vollständig fortgesetzt: das Fenster des Modells ist unbekannt.</translation>
    </message>
    <message>
        <source>The file or folder cannot be read: {0}.</source>
        <translation>Die Datei oder der Ordner kann nicht gelesen werden: {0}.</translation>
    </message>
    <message>
        <source>The link leads out of the chosen folder.</source>
        <translation>Der Link führt aus dem gewählten Ordner hinaus.</translation>
    </message>
    <message>
        <source>The file is larger than {0} kB.</source>
        <translation>Die Datei ist größer als {0} kB.</translation>
    </message>
    <message>
        <source>The file is not text in UTF-8.</source>
        <translation>Die Datei ist kein Text in UTF-8.</translation>
    </message>
    <message>
        <source>The path is not a regular file.</source>
        <translation>Der Pfad ist keine gewöhnliche Datei.</translation>
    </message>
    <message>
        <source>The folder does not exist or cannot be read.</source>
        <translation>Der Ordner existiert nicht oder kann nicht gelesen werden.</translation>
    </message>
    <message>
        <source>Only the first {0} folders were searched.</source>
        <translation>Nur die ersten {0} Ordner wurden durchsucht.</translation>
    </message>
    <message>
        <source>Only the first {0} skills are used.</source>
        <translation>Nur die ersten {0} Skills werden benutzt.</translation>
    </message>
    <message>
        <source>Resumed in session {0}, where this session was continued before.</source>
        <translation>In Sitzung {0} fortgesetzt, in der diese Sitzung schon weiterging.</translation>
    </message>
    <message>
        <source>Tools of MCP servers need the package mcp, which comes with the extra “mcp”. Install it into Stemmata&apos;s Python with {0} and start Stemmata again.</source>
        <translation>Werkzeuge von MCP-Servern brauchen das Paket mcp, das mit dem Extra „mcp“ kommt. Installiere es mit {0} in das Python von Stemmata und starte Stemmata neu.</translation>
    </message>
    <message>
        <source>The server requires a login with a browser (OAuth), which Stemmata does not support. If its provider also issues tokens or keys, create one, and write into the settings of this server: {1}. Then enter the key here.</source>
        <translation>Der Server verlangt eine Anmeldung im Browser (OAuth), die Stemmata nicht unterstützt. Wenn sein Anbieter auch Token oder Schlüssel ausgibt, erstelle dort einen und trage in die Einstellungen dieses Servers ein: {1}. Gib den Schlüssel dann hier ein.</translation>
    </message>
    <message>
        <source>The server requires a key or token (HTTP {0}). Write into its settings in which header it is sent, for example {1}. Then enter the key here.</source>
        <translation>Der Server verlangt einen Schlüssel oder ein Token (HTTP {0}). Trage in seine Einstellungen ein, in welchem Header er gesendet wird, zum Beispiel {1}. Gib den Schlüssel dann hier ein.</translation>
    </message>
    <message>
        <source>A bug in Stemmata stopped the reply. The received part is kept. The log has the details.</source>
        <translation>Ein Fehler in Stemmata hat die Antwort angehalten. Der empfangene Teil bleibt erhalten. Das Protokoll hat die Einzelheiten.</translation>
    </message>
    <message>
        <source>A bug in Stemmata prevented storing the reply. Copy the reply now. The log has the details.</source>
        <translation>Ein Fehler in Stemmata verhinderte das Speichern der Antwort. Kopiere die Antwort jetzt. Das Protokoll hat die Einzelheiten.</translation>
    </message>
    <message>
        <source>The reply ended without a reason; it may be incomplete.</source>
        <translation>Die Antwort endete ohne Grund; sie ist vielleicht unvollständig.</translation>
    </message>
    <message>
        <source>The model called tools {0} times and paused {1} times without finishing. Everything is kept. Press Continue to let it go on.</source>
        <translation>Das Modell rief {0}-mal Werkzeuge auf und pausierte {1}-mal, ohne fertig zu werden. Alles bleibt erhalten. „Fortsetzen“ lässt es weitermachen.</translation>
    </message>
    <message>
        <source>{0} does not accept images and PDFs of this session ({1}); they were not sent</source>
        <translation>{0} nimmt Bilder und PDFs dieser Sitzung nicht an ({1}); sie wurden nicht gesendet</translation>
    </message>
    <message>
        <source>The server does not accept its earlier thinking any more; the request was sent without it</source>
        <translation>Der Server nimmt seine früheren Gedanken nicht mehr an; die Anfrage wurde ohne sie gesendet</translation>
    </message>
    <message>
        <source>{0} refused to answer. Rephrase your message.</source>
        <translation>{0} hat die Antwort verweigert. Formuliere deine Nachricht um.</translation>
    </message>
    <message>
        <source>The reply of {0} is empty, because the context window is full. Your message is kept.</source>
        <translation>Die Antwort von {0} ist leer, weil das Kontextfenster voll ist. Deine Nachricht ist gespeichert.</translation>
    </message>
    <message>
        <source>Summaries by a model: {0}</source>
        <translation>Zusammenfassungen durch ein Modell: {0}</translation>
    </message>
    <message>
        <source>the model of the session</source>
        <translation>das Modell der Sitzung</translation>
    </message>
    <message>
        <source>“{0}” has no model for summaries. Choose one in the settings, under Compaction (compaction.model).</source>
        <translation>„{0}“ hat kein Modell für Zusammenfassungen. Wähle eines in den Einstellungen unter „Verdichtung“ (compaction.model).</translation>
    </message>
    <message>
        <source>The session has no messages that could be summarised.</source>
        <translation>Die Sitzung hat keine Nachrichten, die zusammengefasst werden könnten.</translation>
    </message>
    <message>
        <source>{0} refused twice to write a summary. Nothing was changed. Choose another model, or use the digest.</source>
        <translation>{0} weigerte sich zweimal, eine Zusammenfassung zu schreiben. Nichts wurde geändert. Wähle ein anderes Modell oder nimm den Auszug.</translation>
    </message>
    <message>
        <source>The summary of {0} was cut off at {1} tokens, twice. Nothing was changed. Try again with a focus, choose another model, or use the digest.</source>
        <translation>Die Zusammenfassung von {0} wurde zweimal bei {1} Tokens abgeschnitten. Nichts wurde geändert. Versuche es mit einem Schwerpunkt noch einmal, wähle ein anderes Modell oder nimm den Auszug.</translation>
    </message>
    <message>
        <source>The followed folder {0} does not exist. Imported sessions are kept. It is followed again once it is back.</source>
        <translation>Den überwachten Ordner {0} gibt es nicht. Importierte Sitzungen bleiben erhalten. Der Ordner wird wieder überwacht, sobald er zurück ist.</translation>
    </message>
    <message>
        <source>The followed folder {0} cannot be read. Imported sessions are kept. It is followed again once it can be read.</source>
        <translation>Der überwachte Ordner {0} kann nicht gelesen werden. Importierte Sitzungen bleiben erhalten. Der Ordner wird wieder überwacht, sobald er lesbar ist.</translation>
    </message>
    <message>
        <source>{0} is on a network file system, which does not report changes. Stemmata scans it regularly instead.</source>
        <translation>{0} liegt auf einem Netzlaufwerk, das keine Änderungen meldet. Stemmata durchsucht es stattdessen regelmäßig.</translation>
    </message>
    <message>
        <source>The system watches no more folders for this program. Stemmata scans {0} regularly instead. On Linux the limit is fs.inotify.max_user_watches.</source>
        <translation>Das System überwacht keine weiteren Ordner für dieses Programm. Stemmata durchsucht {0} stattdessen regelmäßig. Unter Linux ist die Grenze fs.inotify.max_user_watches.</translation>
    </message>
    <message>
        <source>{0} contains many files that are not named like sessions. Stemmata did not look at {1} of them. If they are chats, import them by name.</source>
        <translation>{0} enthält viele Dateien, deren Namen nicht wie die von Sitzungen aussehen. {1} davon hat Stemmata nicht angesehen. Wenn es Chats sind, importiere sie einzeln.</translation>
    </message>
    <message>
        <source>Search by meaning is off. Choose a model for it in the settings.</source>
        <translation>Die Suche nach Bedeutung ist ausgeschaltet. Wähle in den Einstellungen ein Modell dafür.</translation>
    </message>
    <message>
        <source>The server sent no usable vectors. The model may not be one for embeddings.</source>
        <translation>Der Server hat keine brauchbaren Vektoren gesendet. Das Modell ist vielleicht keines für Einbettungen.</translation>
    </message>
    <message>
        <source>The session is empty, so there is nothing to reset.</source>
        <translation>Die Sitzung ist leer, also gibt es nichts neu zu beginnen.</translation>
    </message>
    <message>
        <source>This session did not begin with a reset, so it has no previous session.</source>
        <translation>Diese Sitzung begann nicht durch einen Neubeginn, also gibt es keine Sitzung davor.</translation>
    </message>
    <message>
        <source>The session was deleted while it was exported. Nothing was written.</source>
        <translation>Die Sitzung wurde während des Exports gelöscht. Es wurde nichts geschrieben.</translation>
    </message>
    <message>
        <source>The folder {0} does not exist. Nothing was written: create it, or choose another.</source>
        <translation>Den Ordner {0} gibt es nicht. Es wurde nichts geschrieben: lege ihn an, oder wähle einen anderen.</translation>
    </message>
    <message>
        <source>“{0}” cannot be compared: the session does not say in which folder the file is.</source>
        <translation>„{0}“ kann nicht verglichen werden: Die Sitzung nennt den Ordner der Datei nicht.</translation>
    </message>
    <message>
        <source>The session has changed since.</source>
        <translation>Die Sitzung wurde seitdem geändert.</translation>
    </message>
    <message>
        <source>An entry or a session that this step needs no longer exists.</source>
        <translation>Ein Eintrag oder eine Sitzung, die für diesen Schritt nötig ist, existiert nicht mehr.</translation>
    </message>
    <message>
        <source>The leaf has moved since.</source>
        <translation>Das Blatt wurde seitdem verschoben.</translation>
    </message>
    <message>
        <source>The label has changed since.</source>
        <translation>Die Beschriftung wurde seitdem geändert.</translation>
    </message>
    <message>
        <source>The pin has changed since.</source>
        <translation>Der Eintrag wurde seitdem angeheftet oder gelöst.</translation>
    </message>
    <message>
        <source>The branch has been deleted or restored since.</source>
        <translation>Der Zweig wurde seitdem gelöscht oder wiederhergestellt.</translation>
    </message>
    <message>
        <source>The session has been renamed since.</source>
        <translation>Die Sitzung wurde seitdem umbenannt.</translation>
    </message>
    <message>
        <source>The tags have changed since.</source>
        <translation>Die Schlagwörter wurden seitdem geändert.</translation>
    </message>
    <message>
        <source>The new session has been continued or deleted since.</source>
        <translation>Die neue Sitzung wurde seitdem fortgesetzt oder gelöscht.</translation>
    </message>
    <message>
        <source>This can no longer be undone. {0} Nothing was changed; the next undo goes to the step before.</source>
        <translation>Das lässt sich nicht mehr rückgängig machen. {0} Nichts wurde geändert; das nächste Mal ist der Schritt davor an der Reihe.</translation>
    </message>
    <message>
        <source>This can no longer be redone. {0} Nothing was changed.</source>
        <translation>Das lässt sich nicht mehr wiederholen. {0} Nichts wurde geändert.</translation>
    </message>
    <message>
        <source>Something else was done meanwhile. Nothing was changed. The Edit menu names the next step.</source>
        <translation>Inzwischen geschah etwas anderes. Nichts wurde geändert. Das Menü „Bearbeiten“ nennt den nächsten Schritt.</translation>
    </message>
    <message>
        <source>This session names no connection, and the part of the settings that may name one is invalid. Your message is kept and was not sent. Correct the settings, or choose the model.</source>
        <translation>Diese Sitzung nennt keine Verbindung, und ein Teil der Einstellungen, der sie nennen kann, ist fehlerhaft. Deine Nachricht bleibt erhalten und wurde nicht gesendet. Berichtige die Einstellungen, oder wähle das Modell.</translation>
    </message>
    <message>
        <source>This session uses “{0}”, but no connection has that name. Your message is kept and was not sent. Choose the model to go on with, or connect “{0}”.</source>
        <translation>Diese Sitzung benutzt „{0}“, aber keine Verbindung hat diesen Namen. Deine Nachricht bleibt erhalten und wurde nicht gesendet. Wähle das Modell, mit dem es weitergeht, oder verbinde „{0}“.</translation>
    </message>
    <message>
        <source>The archive cannot be opened: its path names a folder.
{0}</source>
        <translation>Das Archiv lässt sich nicht öffnen: Sein Pfad ist ein Ordner.
{0}</translation>
    </message>
    <message>
        <source>A newer version of Stemmata has upgraded the archive (format {0}, this program knows {1}). Nothing was changed. Quit Stemmata and start the newer version.</source>
        <translation>Eine neuere Version von Stemmata hat das Archiv in ihr Format gebracht (Format {0}, dieses Programm kennt {1}). Nichts wurde geändert. Beende Stemmata und starte die neuere Version.</translation>
    </message>
    <message>
        <source>Search by meaning needs numpy, which is not installed. Install the extra “meaning”.</source>
        <translation>Die Suche nach Bedeutung braucht numpy, das nicht installiert ist. Installiere das Extra „meaning“.</translation>
    </message>
    <message>
        <source>No session matches “{0}”.</source>
        <translation>Keine Sitzung passt zu „{0}“.</translation>
    </message>
    <message>
        <source>Only Linux desktops have a menu that Stemmata can be added to.</source>
        <translation>Nur Linux-Desktops haben ein Menü, in das Stemmata aufgenommen werden kann.</translation>
    </message>
    <message>
        <source>Stemmata is in the menu of all users already: {0} exists.</source>
        <translation>Stemmata steht schon im Menü aller Benutzer: {0} ist vorhanden.</translation>
    </message>
    <message>
        <source>Could not write to {0}: {1}. The archive was not touched.</source>
        <translation>In {0} konnte nicht geschrieben werden: {1}. Das Archiv blieb unberührt.</translation>
    </message>
    <message>
        <source>Could not remove files from {0}: {1}. The archive was not touched.</source>
        <translation>Aus {0} konnten keine Dateien entfernt werden: {1}. Das Archiv blieb unberührt.</translation>
    </message>
    <message>
        <source>This installation contains no guide.</source>
        <translation>Diese Installation enthält keine Anleitung.</translation>
    </message>
    <message>
        <source>Could not write the guide to {0}: {1}.</source>
        <translation>Die Anleitung konnte nicht nach {0} geschrieben werden: {1}.</translation>
    </message>
    <message>
        <source>The model for search by meaning is not installed. Install the extra “meaning”, as the guide describes, or choose a connection for it in the settings.</source>
        <translation>Das Modell für die Suche nach Bedeutung ist nicht installiert. Installiere das Extra „meaning“, wie es die Anleitung beschreibt, oder wähle in den Einstellungen eine Verbindung dafür.</translation>
    </message>
    <message>
        <source>Not a valid path on this machine: {0} ({1}). Nothing was changed.</source>
        <translation>Kein gültiger Pfad auf diesem Rechner: {0} ({1}). Nichts wurde geändert.</translation>
    </message>
    <message>
        <source>Could not create the folder {0}: {1}. Nothing was changed. Choose another folder with --profile or --store.</source>
        <translation>Der Ordner {0} konnte nicht angelegt werden: {1}. Nichts wurde geändert. Wähle einen anderen Ordner mit --profile oder --store.</translation>
    </message>
    <message>
        <source>The pattern takes too long to find. Make it simpler: avoid repetitions inside repetitions.</source>
        <translation>Die Suche nach dem Muster dauert zu lange. Vereinfache es: Vermeide Wiederholungen in Wiederholungen.</translation>
    </message>
    <message>
        <source>The pattern is too long, or repeats too much. Shorten it.</source>
        <translation>Das Muster ist zu lang oder wiederholt zu viel. Kürze es.</translation>
    </message>
    <message>
        <source>The pattern is not complete: {0}.</source>
        <translation>Das Muster ist nicht vollständig: {0}.</translation>
    </message>
    <message>
        <source>This system has no keyring. Keys are kept until Stemmata is closed.</source>
        <translation>Dieses System hat keinen Schlüsselbund. Schlüssel bleiben bis zum Ende von Stemmata erhalten.</translation>
    </message>
    <message>
        <source>The keyring is locked. Keys are kept until Stemmata is closed.</source>
        <translation>Der Schlüsselbund ist gesperrt. Schlüssel bleiben bis zum Ende von Stemmata erhalten.</translation>
    </message>
    <message>
        <source>The keyring does not respond. Keys are kept until Stemmata is closed.</source>
        <translation>Der Schlüsselbund antwortet nicht. Schlüssel bleiben bis zum Ende von Stemmata erhalten.</translation>
    </message>
    <message>
        <source>The keyring cannot be used. Keys are kept until Stemmata is closed.</source>
        <translation>Der Schlüsselbund kann nicht benutzt werden. Schlüssel bleiben bis zum Ende von Stemmata erhalten.</translation>
    </message>
    <message>
        <source>This entry is no longer in the session. Nothing was compared.</source>
        <translation>Dieser Eintrag ist nicht mehr in der Sitzung. Nichts wurde verglichen.</translation>
    </message>
    <message>
        <source>The connection “{0}” cannot be used: {1}. Your message is kept and was not sent; no other connection was used instead. Correct the connection in the settings, or choose another model.</source>
        <translation>Die Verbindung „{0}“ kann nicht benutzt werden: {1}. Deine Nachricht ist gespeichert und wurde nicht gesendet, und keine andere Verbindung wurde stattdessen benutzt. Berichtige die Verbindung in den Einstellungen, oder wähle ein anderes Modell.</translation>
    </message>
    <message>
        <source>The server has no model “{0}”. It offers {1}.</source>
        <translation>Der Server hat kein Modell „{0}“. Er bietet {1}.</translation>
    </message>
    <message>
        <source>“{0}” took the request but did not answer within {1} seconds.</source>
        <translation>„{0}“ nahm die Anfrage an, antwortete aber nicht innerhalb von {1} Sekunden.</translation>
    </message>
    <message>
        <source>{0} is a symbolic link. Nothing was written: name the file that it points to.</source>
        <translation>{0} ist ein symbolischer Link. Nichts wurde geschrieben: Nenne die Datei, auf die er zeigt.</translation>
    </message>
    <message>
        <source>{0} is a folder. Nothing was written: name a file in it.</source>
        <translation>{0} ist ein Ordner. Nichts wurde geschrieben: Nenne eine Datei darin.</translation>
    </message>
    <message>
        <source>{0} is a pipe or a device. Nothing was written: name a file.</source>
        <translation>{0} ist eine Pipe oder ein Gerät. Nichts wurde geschrieben: Nenne eine Datei.</translation>
    </message>
    <message>
        <source>No permission to write to {0}. Nothing was written: choose another file.</source>
        <translation>In {0} darf nicht geschrieben werden. Nichts wurde geschrieben: Wähle eine andere Datei.</translation>
    </message>
    <message>
        <source>Could not write {0}: {1}. Nothing was changed.</source>
        <translation>{0} ließ sich nicht schreiben: {1}. Nichts wurde geändert.</translation>
    </message>
    <message>
        <source>Your message is sent after this part of the reply</source>
        <translation>Deine Nachricht wird nach diesem Teil der Antwort gesendet</translation>
    </message>
    <message>
        <source>Another window continued this session. Your message began a new branch.</source>
        <translation>Ein anderes Fenster setzte diese Sitzung fort. Deine Nachricht begann einen neuen Zweig.</translation>
    </message>
    <message>
        <source>Storing notes in memory before a compaction</source>
        <translation>Notizen werden vor einer Verdichtung ins Gedächtnis geschrieben</translation>
    </message>
    <message>
        <source>{0} refused to continue. The received part is kept. Rephrase your message.</source>
        <translation>{0} hat abgelehnt. Der empfangene Teil bleibt erhalten. Formuliere deine Nachricht um.</translation>
    </message>
    <message>
        <source>The reply filled the context window of {0} and ended. The received part is kept.</source>
        <translation>Die Antwort füllte das Kontextfenster von {0} und endete. Der empfangene Teil bleibt erhalten.</translation>
    </message>
    <message>
        <source>The model called tools {0} times in a row. Everything is kept. Press Continue to let it go on.</source>
        <translation>Das Modell rief {0}-mal in Folge Werkzeuge auf. Alles bleibt erhalten. „Fortsetzen“ lässt es weitermachen.</translation>
    </message>
    <message>
        <source>The model paused {0} times in a row without finishing. Everything is kept. Press Continue to let it go on.</source>
        <translation>Das Modell pausierte {0}-mal in Folge, ohne fertig zu werden. Alles bleibt erhalten. „Fortsetzen“ lässt es weitermachen.</translation>
    </message>
    <message>
        <source>No message above this entry can be answered again. Nothing was changed.</source>
        <translation>Keine Nachricht darüber lässt sich erneut beantworten. Nichts wurde geändert.</translation>
    </message>
    <message>
        <source>Entry {0} does not exist.</source>
        <translation>Eintrag {0} existiert nicht.</translation>
    </message>
    <message>
        <source>A reply is running. Stop it, or wait until it ends.</source>
        <translation>Es läuft eine Antwort. Halte sie an, oder warte auf ihr Ende.</translation>
    </message>
    <message>
        <source>A compaction would not make the context smaller: ≈ {0} tokens before, ≈ {1} after. Nothing was changed. The large entries are in the kept part: keep less, or exclude single entries from the context.</source>
        <translation>Eine Verdichtung würde den Kontext nicht verkleinern: ≈ {0} Tokens vorher, ≈ {1} nachher. Nichts wurde geändert. Die großen Einträge liegen im behaltenen Teil: behalte weniger, oder schließe einzelne Einträge vom Kontext aus.</translation>
    </message>
    <message>
        <source>The session changed meanwhile. Nothing was pruned. Check the context again and repeat.</source>
        <translation>Die Sitzung hat sich inzwischen geändert. Nichts wurde ausgelassen. Prüfe den Kontext und wiederhole.</translation>
    </message>
    <message>
        <source>This entry is not in the context. Nothing was changed.</source>
        <translation>Dieser Eintrag ist nicht im Kontext. Nichts wurde geändert.</translation>
    </message>
    <message>
        <source>The entry is already in this state. Nothing was changed.</source>
        <translation>Der Eintrag ist schon in diesem Zustand. Nichts wurde geändert.</translation>
    </message>
    <message>
        <source>This entry has less than {0} tokens, too few to cut. Nothing was changed.</source>
        <translation>Dieser Eintrag hat weniger als {0} Tokens, zu wenige zum Kürzen. Nichts wurde geändert.</translation>
    </message>
    <message>
        <source>Nothing to summarise: the entries contain no text. Nothing was changed.</source>
        <translation>Nichts zusammenzufassen: die Einträge enthalten keinen Text. Nichts wurde geändert.</translation>
    </message>
    <message>
        <source>{0} contains no session.</source>
        <translation>{0} enthält keine Sitzung.</translation>
    </message>
    <message>
        <source>A followed session cannot be read further. {0} The imported part is kept.</source>
        <translation>Eine überwachte Sitzung kann nicht weiter gelesen werden. {0} Der importierte Teil bleibt erhalten.</translation>
    </message>
    <message>
        <source>A followed session is not read further: its file {0} is a symbolic link now. The imported part is kept.</source>
        <translation>Eine überwachte Sitzung wird nicht weiter gelesen: Ihre Datei {0} ist jetzt ein symbolischer Link. Der importierte Teil bleibt erhalten.</translation>
    </message>
    <message>
        <source>{0} is followed again.</source>
        <translation>{0} wird wieder überwacht.</translation>
    </message>
    <message>
        <source>{0} is no longer followed.</source>
        <translation>{0} wird nicht mehr überwacht.</translation>
    </message>
    <message>
        <source>All entries added meanwhile are imported. Nothing was lost.</source>
        <translation>Alle inzwischen hinzugekommenen Einträge sind importiert. Nichts ging verloren.</translation>
    </message>
    <message>
        <source>The import was cancelled; this file was not imported.</source>
        <translation>Der Import wurde abgebrochen; diese Datei wurde nicht importiert.</translation>
    </message>
    <message>
        <source>{0} has content before its first session.</source>
        <translation>{0} hat Inhalt vor der ersten Sitzung.</translation>
    </message>
    <message>
        <source>Nothing was changed. Try again, or use the digest.</source>
        <translation>Nichts wurde geändert. Versuche es noch einmal oder nimm den Auszug.</translation>
    </message>
    <message>
        <source>{0} answered with no summary. {1}</source>
        <translation>{0} antwortete ohne Zusammenfassung. {1}</translation>
    </message>
    <message>
        <source>{0} could not write a summary. {1}</source>
        <translation>{0} konnte keine Zusammenfassung schreiben. {1}</translation>
    </message>
    <message>
        <source>The part to summarise is too long for {0}. Nothing was changed. Move the cut up, or use the digest.</source>
        <translation>Der zusammenzufassende Teil ist zu lang für {0}. Nichts wurde geändert. Verschiebe den Schnitt nach oben, oder nimm den Auszug.</translation>
    </message>
    <message>
        <source>Resumed in full, although the session fills {0}% of the window: {1}</source>
        <translation>Vollständig fortgesetzt, obwohl sie {0} % des Fensters füllt: {1}</translation>
    </message>
    <message>
        <source>One entry has about {0} tokens, and the context window of {1} has {2}. It is kept and was not answered. Cut it, leave it out of the context or have it summarised; choose a model with a larger window; or take it back and send it in parts.</source>
        <translation>Ein Eintrag hat etwa {0} Tokens, und das Kontextfenster von {1} hat {2}. Er ist gespeichert und wurde nicht beantwortet. Kürze ihn, lass ihn aus dem Kontext weg oder lass ihn zusammenfassen; wähle ein Modell mit einem größeren Fenster; oder nimm ihn zurück und sende ihn in Teilen.</translation>
    </message>
    <message>
        <source>The request would have about {0} tokens, and the model’s context window has {1}. It was not sent, and nothing more can be left out automatically. Compact more of the session, or choose a model with a larger window.</source>
        <translation>Die Anfrage hätte etwa {0} Tokens, und das Kontextfenster des Modells hat {1}. Sie wurde nicht gesendet, und von selbst kann nichts weiter weggelassen werden. Verdichte mehr von der Sitzung, oder wähle ein Modell mit einem größeren Fenster.</translation>
    </message>
    <message>
        <source>Tokens of the active path: {0} in / {1} out</source>
        <translation>Tokens des aktiven Pfads: {0} Eingabe / {1} Ausgabe</translation>
    </message>
    <message>
        <source>Tokens of all branches: {0} in / {1} out</source>
        <translation>Tokens aller Zweige: {0} Eingabe / {1} Ausgabe</translation>
    </message>
    <message>
        <source>No model is chosen for “{0}”. Pick one, then try again.</source>
        <translation>Für „{0}“ ist kein Modell gewählt. Wähle eines und versuche es dann noch einmal.</translation>
    </message>
    <message>
        <source>The reply reached the limit of {0} tokens.</source>
        <translation>Die Antwort hat die Grenze von {0} Tokens erreicht.</translation>
    </message>
    <message>
        <source>The signed summary was refused; it was sent as plain text</source>
        <translation>Die signierte Zusammenfassung wurde abgelehnt; sie ging als einfacher Text</translation>
    </message>
    <message>
        <source>One entry has about {0} tokens, which is more than {1} takes. It is kept and was not answered. Cut it, leave it out of the context or have it summarised; choose a model with a larger window; or take it back and send it in parts.</source>
        <translation>Ein Eintrag hat etwa {0} Tokens, mehr als {1} annimmt. Er ist gespeichert und wurde nicht beantwortet. Kürze ihn, lass ihn aus dem Kontext weg oder lass ihn zusammenfassen; wähle ein Modell mit einem größeren Fenster; oder nimm ihn zurück und sende ihn in Teilen.</translation>
    </message>
    <message>
        <source>The reply of {0} is empty. Your message is kept.</source>
        <translation>Die Antwort von {0} ist leer. Deine Nachricht ist gespeichert.</translation>
    </message>
    <message>
        <source>The search was stopped.</source>
        <translation>Die Suche wurde angehalten.</translation>
    </message>
    <message>
        <source>{0} wrote no usable summary: {1} Nothing was changed. Try again, choose another model, or use the digest.</source>
        <translation>{0} schrieb keine brauchbare Zusammenfassung: {1} Nichts wurde geändert. Versuche es noch einmal, wähle ein anderes Modell oder nimm den Auszug.</translation>
    </message>
    <message>
        <source>The server did not answer in time.</source>
        <translation>Der Server hat nicht rechtzeitig geantwortet.</translation>
    </message>
    <message>
        <source>{0} looks like a key, which the settings never hold. Write ${{key}} in its place, and enter the key in the field “Key”.</source>
        <translation>{0} sieht wie ein Schlüssel aus; die Einstellungen enthalten nie einen. Schreib ${{key}} an seine Stelle, und gib den Schlüssel im Feld „Schlüssel“ ein.</translation>
    </message>
    <message>
        <source>Session {0} does not exist.</source>
        <translation>Sitzung {0} existiert nicht.</translation>
    </message>
    <message>
        <source>The backup could not be put into place: {0}. The backup is untouched; look into the archive&apos;s folder before you try again.
{1}</source>
        <translation>Die Sicherung ließ sich nicht einsetzen: {0}. Sie ist unberührt; sieh in den Ordner des Archivs, bevor du es noch einmal versuchst.
{1}</translation>
    </message>
    <message>
        <source>The backup cannot be read: {0}. Choose another one.
{1}</source>
        <translation>Die Sicherung lässt sich nicht lesen: {0}. Wähle eine andere.
{1}</translation>
    </message>
    <message>
        <source>The file is a database of another program and was left as it is. Choose another file.
{0}</source>
        <translation>Die Datei ist eine Datenbank eines anderen Programms und blieb, wie sie ist. Wähle eine andere Datei.
{0}</translation>
    </message>
    <message>
        <source>The archive cannot be opened: {0}. Nothing was changed.
{1}</source>
        <translation>Das Archiv lässt sich nicht öffnen: {0}. Nichts wurde geändert.
{1}</translation>
    </message>
    <message>
        <source>Nothing of this change was stored; everything stored before is kept.</source>
        <translation>Von dieser Änderung wurde nichts gespeichert; alles früher Gespeicherte bleibt erhalten.</translation>
    </message>
    <message>
        <source>{0} is damaged, encrypted or packed in an unknown way.</source>
        <translation>{0} ist beschädigt, verschlüsselt oder auf unbekannte Weise gepackt.</translation>
    </message>
    <message>
        <source>Nothing to summarise: the context is empty. Nothing was written.</source>
        <translation>Nichts zusammenzufassen: Der Kontext ist leer. Nichts wurde geschrieben.</translation>
    </message>
    <message>
        <source>the messages themselves: the tool gets only the brief</source>
        <translation>die Nachrichten selbst: das Programm bekommt nur die Kurzfassung</translation>
    </message>
    <message>
        <source>the summaries: the tool gets the messages that they have replaced</source>
        <translation>die Zusammenfassungen: das Programm bekommt die Nachrichten, die sie ersetzt haben</translation>
    </message>
    <message>
        <source>the messages that the last summary has replaced</source>
        <translation>die Nachrichten, die die letzte Zusammenfassung ersetzt hat</translation>
    </message>
    <message>
        <source>thinking that another model has not signed or cannot read</source>
        <translation>Gedanken, die ein anderes Modell nicht signiert hat oder nicht lesen kann</translation>
    </message>
    <message>
        <source>The session has no folder to work in. Choose one; nothing was written.</source>
        <translation>Die Sitzung hat keinen Arbeitsordner. Wähle einen; nichts wurde geschrieben.</translation>
    </message>
    <message>
        <source>Nothing to hand over: the path has no message. Nothing was written.</source>
        <translation>Nichts zu übergeben: Der Pfad hat keine Nachricht. Nichts wurde geschrieben.</translation>
    </message>
    <message>
        <source>{0} other branches stay here</source>
        <translation>{0} andere Zweige bleiben hier</translation>
    </message>
    <message>
        <source>1 other branch stays here</source>
        <translation>1 anderer Zweig bleibt hier</translation>
    </message>
    <message>
        <source>{0} replies that were interrupted</source>
        <translation>{0} Antworten, die unterbrochen wurden</translation>
    </message>
    <message>
        <source>1 reply that was interrupted</source>
        <translation>1 Antwort, die unterbrochen wurde</translation>
    </message>
    <message>
        <source>The file of the skill “{0}” has changed. Requests contain its text from the time of its activation; activate the skill again to send the new text.</source>
        <translation>Die Datei des Skills „{0}“ hat sich geändert. Anfragen enthalten den Text, den er bei seiner Aktivierung hatte; aktiviere ihn noch einmal, um den neuen Text zu senden.</translation>
    </message>
    <message>
        <source>The file of the skill “{0}” is no longer in the chosen folders. Requests contain its text from the time of its activation.</source>
        <translation>Die Datei des Skills „{0}“ ist nicht mehr in den gewählten Ordnern. Anfragen enthalten den Text, den er bei seiner Aktivierung hatte.</translation>
    </message>
    <message>
        <source>The chosen folders contain no skill “{0}”.</source>
        <translation>In den gewählten Ordnern gibt es keinen Skill „{0}“.</translation>
    </message>
    <message>
        <source>Skill not found: “{0}”. Did you mean “{1}”?</source>
        <translation>Skill nicht gefunden: „{0}“. Meintest du „{1}“?</translation>
    </message>
    <message>
        <source>The skill “{0}” is not active. Nothing was changed.</source>
        <translation>Der Skill „{0}“ ist nicht aktiv. Nichts wurde geändert.</translation>
    </message>
    <message>
        <source>The skill “{0}” is already active. Nothing was changed.</source>
        <translation>Der Skill „{0}“ ist schon aktiv. Nichts wurde geändert.</translation>
    </message>
    <message>
        <source>Entry {0} has no content: the archive is damaged. A backup may hold it.</source>
        <translation>Der Eintrag {0} hat keinen Inhalt: Das Archiv ist beschädigt. Eine Sicherung kann ihn enthalten.</translation>
    </message>
    <message>
        <source>{0} could not be imported because of a bug in Stemmata ({1}). The archive is unchanged. The log has the details.</source>
        <translation>{0} konnte wegen eines Fehlers in Stemmata nicht importiert werden ({1}). Das Archiv ist unverändert. Das Protokoll hat die Einzelheiten.</translation>
    </message>
    <message>
        <source>The session has no entry {0}.</source>
        <translation>Die Sitzung hat keinen Eintrag {0}.</translation>
    </message>
    <message>
        <source>Nothing to summarise: the abandoned branch has no messages.</source>
        <translation>Nichts zusammenzufassen: der verlassene Zweig hat keine Nachrichten.</translation>
    </message>
    <message>
        <source>Nothing to redo.</source>
        <translation>Nichts zu wiederholen.</translation>
    </message>
    <message>
        <source>Nothing to undo.</source>
        <translation>Nichts rückgängig zu machen.</translation>
    </message>
    <message>
        <source>Both entries are on the same branch. Choose an entry of another branch.</source>
        <translation>Beide Einträge liegen auf demselben Zweig. Wähle einen Eintrag eines anderen Zweigs.</translation>
    </message>
    <message>
        <source>{0} contains neither a chat export nor session files.</source>
        <translation>{0} enthält weder einen Chat-Export noch Sitzungsdateien.</translation>
    </message>
    <message>
        <source>This turn has no prompt to copy: its branch begins inside the turn.</source>
        <translation>Diese Runde hat keinen Prompt zum Kopieren: ihr Zweig beginnt mitten darin.</translation>
    </message>
    <message>
        <source>This image is not in the archive.</source>
        <translation>Dieses Bild ist nicht im Archiv.</translation>
    </message>
    <message>
        <source>“{0}” is too large on the disk: at most {1} MB are compared.</source>
        <translation>„{0}“ ist auf dem Datenträger zu groß: Höchstens {1} MB werden verglichen.</translation>
    </message>
    <message>
        <source>“{0}” is a binary file on the disk. Only texts are compared.</source>
        <translation>„{0}“ ist auf dem Datenträger eine Binärdatei. Nur Texte werden verglichen.</translation>
    </message>
    <message>
        <source>“{0}” is not on the disk: {1} does not exist.</source>
        <translation>„{0}“ ist nicht auf dem Datenträger: {1} gibt es nicht.</translation>
    </message>
    <message>
        <source>“{0}” cannot be read from the disk: {1}.</source>
        <translation>„{0}“ kann nicht vom Datenträger gelesen werden: {1}.</translation>
    </message>
    <message>
        <source>“{0}” is not a regular file on the disk.</source>
        <translation>„{0}“ ist auf dem Datenträger keine gewöhnliche Datei.</translation>
    </message>
    <message>
        <source>The session that was continued is in the trash.</source>
        <translation>Die fortgesetzte Sitzung liegt im Papierkorb.</translation>
    </message>
    <message>
        <source>No model is connected. Connect one, for example with an Anthropic key or a local server. Browsing, forking and compaction by digest work without a model.</source>
        <translation>Kein Modell ist verbunden. Verbinde eines, etwa mit einem Schlüssel von Anthropic oder einem lokalen Server. Lesen, Abzweigen und Verdichten mit dem Auszug gehen ohne Modell.</translation>
    </message>
    <message>
        <source>“{0}” sent an empty answer.</source>
        <translation>„{0}“ hat eine leere Antwort gesendet.</translation>
    </message>
    <message>
        <source>The address of an OpenAI-compatible server usually ends with “/v1”.</source>
        <translation>Die Adresse eines OpenAI-kompatiblen Servers endet meist mit „/v1“.</translation>
    </message>
    <message>
        <source>No connection is named “{0}”.</source>
        <translation>Keine Verbindung heißt „{0}“.</translation>
    </message>
    <message>
        <source>The connection “{0}” has no key. Enter its key and try again.</source>
        <translation>Die Verbindung „{0}“ hat keinen Schlüssel. Gib ihn ein und versuche es erneut.</translation>
    </message>
    <message>
        <source>A server named “{0}” already exists. Nothing was changed.</source>
        <translation>Ein Server namens „{0}“ existiert schon. Nichts wurde geändert.</translation>
    </message>
    <message>
        <source>The tool server “{0}” is not running: {1}</source>
        <translation>Der Werkzeugserver „{0}“ läuft nicht: {1}</translation>
    </message>
    <message>
        <source>The tool server “{0}” is still starting. Its tools are not available yet.</source>
        <translation>Der Werkzeugserver „{0}“ startet noch. Seine Werkzeuge sind noch nicht verfügbar.</translation>
    </message>
    <message>
        <source>No tool server is named “{0}”.</source>
        <translation>Kein Werkzeugserver heißt „{0}“.</translation>
    </message>
    <message>
        <source>The server “{0}” is not running.</source>
        <translation>Der Server „{0}“ läuft nicht.</translation>
    </message>
    <message>
        <source>The message is no longer in the queue: it was sent or deleted.</source>
        <translation>Die Nachricht ist nicht mehr in der Warteschlange: sie wurde gesendet oder gelöscht.</translation>
    </message>
    <message>
        <source>The disk is full. {0} Free some space and try again.</source>
        <translation>Der Datenträger ist voll. {0} Schaffe Platz und versuche es noch einmal.</translation>
    </message>
    <message>
        <source>The archive is read-only. {0} Check the permissions of the file and its folder.</source>
        <translation>Das Archiv ist schreibgeschützt. {0} Prüfe die Rechte der Datei und ihres Ordners.</translation>
    </message>
    <message>
        <source>Another program is writing to the archive. {0} Close it, or try again in a moment.</source>
        <translation>Ein anderes Programm schreibt ins Archiv. {0} Schließe es oder versuche es gleich noch einmal.</translation>
    </message>
    <message>
        <source>The disk reports an error while the archive is read or written. {0} Check the disk.</source>
        <translation>Der Datenträger meldet einen Fehler beim Lesen oder Schreiben des Archivs. {0} Prüfe ihn.</translation>
    </message>
    <message>
        <source>The archive cannot be opened. Check that its folder exists and may be written to.</source>
        <translation>Das Archiv lässt sich nicht öffnen. Prüfe, ob es seinen Ordner gibt und ob er beschrieben werden darf.</translation>
    </message>
    <message>
        <source>Stemmata has no permission to open the archive. Check the permissions of the file and its folder.</source>
        <translation>Das Archiv darf nicht geöffnet werden. Prüfe die Rechte der Datei und ihres Ordners.</translation>
    </message>
    <message>
        <source>The archive is damaged and was left as it is. Copy the file to a safe place, then put a backup in its place or start a new archive and import your sessions again.</source>
        <translation>Das Archiv ist beschädigt und blieb, wie es ist. Kopiere die Datei an einen sicheren Ort, setze dann eine Sicherung an ihre Stelle oder beginne ein neues Archiv und importiere deine Sitzungen noch einmal.</translation>
    </message>
    <message>
        <source>The file is not an archive of Stemmata and was left as it is. Choose another file, or move this one away.</source>
        <translation>Die Datei ist kein Archiv von Stemmata und blieb, wie sie ist. Wähle eine andere oder verschiebe diese.</translation>
    </message>
    <message>
        <source>The file of the archive cannot be reached, or it was moved, deleted or replaced while Stemmata had it open. Nothing of this change was stored. Put the file back. If it is lost, export the sessions that you need before you quit Stemmata.
{0}</source>
        <translation>Die Datei des Archivs ist nicht erreichbar, oder sie wurde verschoben, gelöscht oder ersetzt, während Stemmata sie geöffnet hat. Von dieser Änderung wurde nichts gespeichert. Lege die Datei an ihren Ort zurück. Wenn sie verloren ist, exportiere die Sitzungen, die du brauchst, bevor du Stemmata beendest.
{0}</translation>
    </message>
    <message>
        <source>No entry of this session matches “{0}”.</source>
        <translation>Kein Eintrag dieser Sitzung passt zu „{0}“.</translation>
    </message>
    <message>
        <source>Several entries match “{0}”. Give more characters of the id.</source>
        <translation>Mehrere Einträge passen zu „{0}“. Gib mehr Zeichen der Kennung an.</translation>
    </message>
    <message>
        <source>The file is not an intact Stemmata archive. Choose another file.
{0}</source>
        <translation>Die Datei ist kein unversehrtes Archiv von Stemmata. Wähle eine andere.
{0}</translation>
    </message>
    <message>
        <source>The archive was written by a newer version of Stemmata (format {0}, this program knows {1}). It was left as it is: install the newer version.
{2}</source>
        <translation>Das Archiv wurde von einer neueren Version von Stemmata geschrieben (Format {0}, dieses Programm kennt {1}). Es blieb, wie es ist: Installiere die neuere Version.
{2}</translation>
    </message>
    <message>
        <source>The archive is being closed. Nothing was changed.</source>
        <translation>Das Archiv wird geschlossen. Nichts wurde geändert.</translation>
    </message>
    <message>
        <source>{0} sessions match ({1}…). Give more characters of the id.</source>
        <translation>{0} Sitzungen passen ({1}…). Gib mehr Zeichen der Kennung an.</translation>
    </message>
    <message>
        <source>The archive is empty. Import sessions first.</source>
        <translation>Das Archiv ist leer. Importiere zuerst Sitzungen.</translation>
    </message>
</context>
<context>
    <name>PickerController</name>
    <message>
        <source>Filter models</source>
        <translation>Modelle filtern</translation>
    </message>
    <message>
        <source>Recent</source>
        <translation>Zuletzt</translation>
    </message>
    <message>
        <source>Thinking level</source>
        <translation>Denkstufe</translation>
    </message>
</context>
<context>
    <name>Pictures</name>
    <message>
        <source>Could not read the picture: {0}. It was not attached.</source>
        <translation>Das Bild konnte nicht gelesen werden: {0}. Es wurde nicht angehängt.</translation>
    </message>
    <message>
        <source>Could not convert the picture to PNG or JPEG. It was not attached.</source>
        <translation>Das Bild konnte nicht in PNG oder JPEG umgewandelt werden. Es wurde nicht angehängt.</translation>
    </message>
    <message>
        <source>The picture is damaged: its end is missing. It was not attached.</source>
        <translation>Das Bild ist beschädigt: Das Ende der Datei fehlt. Es wurde nicht angehängt.</translation>
    </message>
</context>
<context>
    <name>PreferencesController</name>
    <message>
        <source>Models</source>
        <translation>Modelle</translation>
    </message>
</context>
<context>
    <name>PruningController</name>
    <message numerus="yes">
        <source>Pruned %Ln tool results: ≈ {0} → {1}. The archive keeps the outputs.</source>
        <translation>
            <numerusform>%Ln Werkzeugergebnis ausgelassen: ≈ {0} → {1}. Das Archiv behält die Ausgabe.</numerusform>
            <numerusform>%Ln Werkzeugergebnisse ausgelassen: ≈ {0} → {1}. Das Archiv behält die Ausgaben.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Pruned %Ln duplicates, {0}. The archive keeps the outputs.</source>
        <translation>
            <numerusform>%Ln doppeltes Ergebnis ausgelassen, {0}. Das Archiv behält die Ausgabe.</numerusform>
            <numerusform>%Ln doppelte Ergebnisse ausgelassen, {0}. Das Archiv behält die Ausgaben.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>QueueRowWidget</name>
    <message>
        <source>Send now</source>
        <translation>Jetzt senden</translation>
    </message>
    <message>
        <source>Edit the queued message</source>
        <translation>Eingereihte Nachricht bearbeiten</translation>
    </message>
    <message>
        <source>Drag to reorder (Alt+↑ Alt+↓)</source>
        <translation>Zum Umordnen ziehen (Alt+↑ Alt+↓)</translation>
    </message>
    <message>
        <source>Delete the queued message</source>
        <translation>Die wartende Nachricht löschen</translation>
    </message>
    <message numerus="yes">
        <source>%Ln attachments</source>
        <translation>
            <numerusform>%Ln Anhang</numerusform>
            <numerusform>%Ln Anhänge</numerusform>
        </translation>
    </message>
    <message>
        <source>Too long to be edited here</source>
        <translation>Zu lang, um hier bearbeitet zu werden</translation>
    </message>
    <message>
        <source>Queued: {0}</source>
        <translation>Eingereiht: {0}</translation>
    </message>
    <message>
        <source>Queued message</source>
        <translation>Eingereihte Nachricht</translation>
    </message>
</context>
<context>
    <name>QueueRows</name>
    <message>
        <source>Queued messages</source>
        <translation>Eingereihte Nachrichten</translation>
    </message>
</context>
<context>
    <name>RawDialog</name>
    <message>
        <source>Raw entry</source>
        <translation>Roher Eintrag</translation>
    </message>
    <message>
        <source>Show all ({0})</source>
        <translation>Alles zeigen ({0})</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Record as a tree or as text</source>
        <translation>Datensatz als Baum oder als Text</translation>
    </message>
    <message>
        <source>Tree</source>
        <translation>Baum</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>The source record as imported, {0}.</source>
        <translation>Der Quelldatensatz wie importiert, {0}.</translation>
    </message>
    <message>
        <source>This entry was created in Stemmata and has no source record. Its stored form, {0}.</source>
        <translation>Dieser Eintrag entstand in Stemmata und hat keinen Quelldatensatz. Seine gespeicherte Form, {0}.</translation>
    </message>
</context>
<context>
    <name>ReportView</name>
    <message>
        <source>Import report</source>
        <translation>Importbericht</translation>
    </message>
</context>
<context>
    <name>ResetLine</name>
    <message>
        <source>Stay in this session</source>
        <translation>In dieser Sitzung bleiben</translation>
    </message>
    <message>
        <source>A new session begins with the next message (daily reset).</source>
        <translation>Mit der nächsten Nachricht beginnt eine neue Sitzung (täglicher Neubeginn).</translation>
    </message>
    <message>
        <source>A new session begins with the next message (no messages for a long time).</source>
        <translation>Mit der nächsten Nachricht beginnt eine neue Sitzung (lange keine Nachrichten).</translation>
    </message>
</context>
<context>
    <name>ResultsController</name>
    <message>
        <source>The search failed.</source>
        <translation>Die Suche ist fehlgeschlagen.</translation>
    </message>
    <message>
        <source>No hits.</source>
        <translation>Keine Treffer.</translation>
    </message>
    <message>
        <source>{0} of {1}</source>
        <translation>{0} von {1}</translation>
    </message>
    <message>
        <source>No hits yet. Older entries are being searched…</source>
        <translation>Noch keine Treffer. Ältere Einträge werden durchsucht …</translation>
    </message>
    <message>
        <source>No hits. Try fewer words, or remove a filter.</source>
        <translation>Keine Treffer. Versuche weniger Wörter, oder entferne einen Filter.</translation>
    </message>
    <message>
        <source>Saved searches · Enter to search, Delete to remove</source>
        <translation>Gespeicherte Suchen · Eingabe sucht, Entf entfernt</translation>
    </message>
    <message>
        <source>by meaning</source>
        <translation>nach Bedeutung</translation>
    </message>
    <message>
        <source>Session that is not in the list</source>
        <translation>Sitzung, die nicht in der Liste steht</translation>
    </message>
    <message numerus="yes">
        <source>%Ln more sessions</source>
        <translation>
            <numerusform>%Ln weitere Sitzung</numerusform>
            <numerusform>%Ln weitere Sitzungen</numerusform>
        </translation>
    </message>
    <message>
        <source>Search older entries</source>
        <translation>Ältere Einträge durchsuchen</translation>
    </message>
    <message>
        <source>The search was saved. Saved searches are listed while the field is empty.</source>
        <translation>Die Suche wurde gespeichert. Gespeicherte Suchen stehen in der Liste, solange das Feld leer ist.</translation>
    </message>
</context>
<context>
    <name>ResultsView</name>
    <message>
        <source>Search all sessions</source>
        <translation>Alle Sitzungen durchsuchen</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>Suche</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Speichern</translation>
    </message>
    <message>
        <source>Save this search. Saved searches are listed while the field is empty.</source>
        <translation>Diese Suche speichern. Gespeicherte Suchen stehen in der Liste, solange das Feld leer ist.</translation>
    </message>
    <message>
        <source>Close the search</source>
        <translation>Suche schließen</translation>
    </message>
    <message>
        <source>Results</source>
        <translation>Ergebnisse</translation>
    </message>
    <message>
        <source>Newest first</source>
        <translation>Neueste zuerst</translation>
    </message>
    <message>
        <source>Most relevant first</source>
        <translation>Relevanteste zuerst</translation>
    </message>
    <message>
        <source>Most relevant</source>
        <translation>Relevanteste</translation>
    </message>
    <message>
        <source>Newest</source>
        <translation>Neueste</translation>
    </message>
    <message>
        <source>Order: {0}</source>
        <translation>Reihenfolge: {0}</translation>
    </message>
</context>
<context>
    <name>ResumeController</name>
    <message>
        <source>Continued from a summary ({0} → {1}). The old session is unchanged.</source>
        <translation>Aus einer Zusammenfassung fortgesetzt ({0} → {1}). Die alte Sitzung ist unverändert.</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
</context>
<context>
    <name>ResumeLine</name>
    <message>
        <source>Writing the summary…</source>
        <translation>Die Zusammenfassung wird geschrieben …</translation>
    </message>
    <message>
        <source>Old session</source>
        <translation>Alte Sitzung</translation>
    </message>
    <message>
        <source>Old session, {0} of the window</source>
        <translation>Alte Sitzung, {0} des Fensters</translation>
    </message>
    <message>
        <source>Continue in full · {0}</source>
        <translation>Vollständig fortsetzen · {0}</translation>
    </message>
    <message>
        <source>Continue from a summary · {0}</source>
        <translation>Aus Zusammenfassung fortsetzen · {0}</translation>
    </message>
    <message>
        <source>In full · {0}</source>
        <translation>Vollständig · {0}</translation>
    </message>
    <message>
        <source>Summary · {0}</source>
        <translation>Zusammenfassung · {0}</translation>
    </message>
    <message>
        <source>In full</source>
        <translation>Vollständig</translation>
    </message>
    <message>
        <source>Summary</source>
        <translation>Zusammenfassung</translation>
    </message>
    <message>
        <source>The next request contains everything up to the leaf.</source>
        <translation>Die nächste Anfrage enthält alles bis zum Blatt.</translation>
    </message>
    <message>
        <source>Begins a new session with a summary and the last messages. This session stays unchanged.</source>
        <translation>Beginnt eine neue Sitzung mit einer Zusammenfassung und den letzten Nachrichten. Diese Sitzung bleibt unverändert.</translation>
    </message>
</context>
<context>
    <name>Run</name>
    <message>
        <source>the model</source>
        <translation>das Modell</translation>
    </message>
    <message>
        <source>Preparing the request</source>
        <translation>Anfrage wird vorbereitet</translation>
    </message>
    <message>
        <source>Waiting for {0}</source>
        <translation>Warten auf {0}</translation>
    </message>
    <message>
        <source>{0} is answering</source>
        <translation>{0} antwortet</translation>
    </message>
    <message>
        <source>Running {0}</source>
        <translation>{0} läuft</translation>
    </message>
    <message>
        <source>a tool</source>
        <translation>ein Werkzeug</translation>
    </message>
    <message>
        <source>A tool</source>
        <translation>Ein Werkzeug</translation>
    </message>
    <message>
        <source>Stopping</source>
        <translation>Wird angehalten</translation>
    </message>
    <message>
        <source>{0} asks for permission</source>
        <translation>{0} fragt um Erlaubnis</translation>
    </message>
    <message>
        <source>The reply broke off. The received part is kept.</source>
        <translation>Die Antwort brach ab. Der empfangene Teil bleibt erhalten.</translation>
    </message>
    <message>
        <source>The request failed. Your message is kept.</source>
        <translation>Die Anfrage schlug fehl. Deine Nachricht bleibt erhalten.</translation>
    </message>
    <message>
        <source>Retrying in {0} s</source>
        <translation>Neuer Versuch in {0} s</translation>
    </message>
    <message>
        <source>Retrying</source>
        <translation>Neuer Versuch</translation>
    </message>
    <message>
        <source>{0} (attempt {1})</source>
        <translation>{0} (Versuch {1})</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>Antworten</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Retry</source>
        <translation>Erneut versuchen</translation>
    </message>
    <message>
        <source>Compact…</source>
        <translation>Verdichten …</translation>
    </message>
    <message>
        <source>Connect a model…</source>
        <translation>Modell verbinden …</translation>
    </message>
    <message>
        <source>Choose a model…</source>
        <translation>Modell wählen …</translation>
    </message>
    <message>
        <source>Settings…</source>
        <translation>Einstellungen …</translation>
    </message>
    <message>
        <source>Raise the limit…</source>
        <translation>Grenze anheben …</translation>
    </message>
    <message>
        <source>Cut entry</source>
        <translation>Eintrag kürzen</translation>
    </message>
    <message>
        <source>Exclude entry</source>
        <translation>Eintrag ausschließen</translation>
    </message>
    <message>
        <source>Summarise history</source>
        <translation>Verlauf zusammenfassen</translation>
    </message>
    <message>
        <source>Return to composer</source>
        <translation>Zurück ins Eingabefeld</translation>
    </message>
    <message>
        <source>Use the digest</source>
        <translation>Auszug verwenden</translation>
    </message>
    <message>
        <source>Compact now</source>
        <translation>Jetzt verdichten</translation>
    </message>
    <message>
        <source>Not now</source>
        <translation>Jetzt nicht</translation>
    </message>
    <message>
        <source>Maximum</source>
        <translation>Maximal</translation>
    </message>
    <message>
        <source>Default</source>
        <translation>Vorgabe</translation>
    </message>
    <message>
        <source>Automatic compaction in {0} s, because the context is above its trigger</source>
        <translation>Automatische Verdichtung in {0} s, weil der Kontext über seiner Schwelle liegt</translation>
    </message>
    <message>
        <source>Compacting in the background</source>
        <translation>Verdichtet im Hintergrund</translation>
    </message>
    <message>
        <source>Compacting before the request</source>
        <translation>Verdichtet vor der Anfrage</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>Aus</translation>
    </message>
    <message>
        <source>Minimal</source>
        <translation>Minimal</translation>
    </message>
    <message>
        <source>Low</source>
        <translation>Niedrig</translation>
    </message>
    <message>
        <source>Medium</source>
        <translation>Mittel</translation>
    </message>
    <message>
        <source>High</source>
        <translation>Hoch</translation>
    </message>
    <message>
        <source>Very high</source>
        <translation>Sehr hoch</translation>
    </message>
</context>
<context>
    <name>RunController</name>
    <message>
        <source>The last message has no reply.</source>
        <translation>Die letzte Nachricht hat keine Antwort.</translation>
    </message>
    <message>
        <source>The last reply reached its limit of tokens.</source>
        <translation>Die letzte Antwort hat ihre Token-Grenze erreicht.</translation>
    </message>
    <message>
        <source>The last reply was stopped.</source>
        <translation>Die letzte Antwort wurde angehalten.</translation>
    </message>
    <message>
        <source>The last reply broke off.</source>
        <translation>Die letzte Antwort brach ab.</translation>
    </message>
    <message>
        <source>≈ {0} token of the reply is kept.</source>
        <translation>≈ {0} Token der Antwort bleibt erhalten.</translation>
    </message>
    <message>
        <source>≈ {0} tokens of the reply are kept.</source>
        <translation>≈ {0} Tokens der Antwort bleiben erhalten.</translation>
    </message>
    <message>
        <source>Viewing another branch · messages go here</source>
        <translation>Anderer Zweig in Ansicht · Nachrichten gehen hierher</translation>
    </message>
    <message>
        <source>Messages go here</source>
        <translation>Nachrichten gehen hierher</translation>
    </message>
    <message>
        <source>Viewing</source>
        <translation>Anderer Zweig</translation>
    </message>
    <message>
        <source>The message starts a new branch here</source>
        <translation>Die Nachricht beginnt hier einen neuen Zweig</translation>
    </message>
    <message>
        <source>Starts a new branch</source>
        <translation>Beginnt einen neuen Zweig</translation>
    </message>
    <message>
        <source>New branch</source>
        <translation>Neuer Zweig</translation>
    </message>
    <message>
        <source>The tool {0} needs consent in another session.</source>
        <translation>Das Werkzeug {0} braucht in einer anderen Sitzung Zustimmung.</translation>
    </message>
    <message>
        <source>Show session</source>
        <translation>Sitzung zeigen</translation>
    </message>
</context>
<context>
    <name>RunLine</name>
    <message>
        <source>The reply has ended.</source>
        <translation>Die Antwort ist zu Ende.</translation>
    </message>
</context>
<context>
    <name>Search</name>
    <message>
        <source>summary</source>
        <translation>Zusammenfassung</translation>
    </message>
    <message>
        <source>You</source>
        <translation>Du</translation>
    </message>
    <message>
        <source>Reply</source>
        <translation>Antwort</translation>
    </message>
    <message>
        <source>tool result</source>
        <translation>Werkzeugergebnis</translation>
    </message>
    <message>
        <source>system prompt</source>
        <translation>System-Prompt</translation>
    </message>
    <message>
        <source>note</source>
        <translation>Notiz</translation>
    </message>
    <message>
        <source>abandoned</source>
        <translation>verlassen</translation>
    </message>
    <message>
        <source>deleted branch</source>
        <translation>gelöschter Zweig</translation>
    </message>
    <message>
        <source>branch {0}</source>
        <translation>Zweig {0}</translation>
    </message>
    <message>
        <source>{0} · abandoned</source>
        <translation>{0} · verlassen</translation>
    </message>
    <message>
        <source>{0}+ hits</source>
        <translation>{0}+ Treffer</translation>
    </message>
    <message numerus="yes">
        <source>%Ln hits</source>
        <translation>
            <numerusform>%Ln Treffer</numerusform>
            <numerusform>%Ln Treffer</numerusform>
        </translation>
    </message>
    <message>
        <source>More hits of this session</source>
        <translation>Weitere Treffer in dieser Sitzung</translation>
    </message>
    <message>
        <source>{0}+ more hits</source>
        <translation>{0}+ weitere Treffer</translation>
    </message>
    <message numerus="yes">
        <source>%Ln more hits</source>
        <translation>
            <numerusform>%Ln weiterer Treffer</numerusform>
            <numerusform>%Ln weitere Treffer</numerusform>
        </translation>
    </message>
    <message>
        <source>{0}+ sessions</source>
        <translation>{0}+ Sitzungen</translation>
    </message>
    <message>
        <source>{0} in {1}</source>
        <translation>{0} in {1}</translation>
    </message>
    <message numerus="yes">
        <source>%Ln sessions</source>
        <translation>
            <numerusform>%Ln Sitzung</numerusform>
            <numerusform>%Ln Sitzungen</numerusform>
        </translation>
    </message>
    <message>
        <source>Prompts</source>
        <translation>Prompts</translation>
    </message>
    <message>
        <source>Replies</source>
        <translation>Antworten</translation>
    </message>
    <message>
        <source>Tool results</source>
        <translation>Werkzeugergebnisse</translation>
    </message>
    <message>
        <source>Summaries</source>
        <translation>Zusammenfassungen</translation>
    </message>
    <message>
        <source>Today</source>
        <translation>Heute</translation>
    </message>
    <message>
        <source>Last 7 days</source>
        <translation>Letzte 7 Tage</translation>
    </message>
    <message>
        <source>Last 30 days</source>
        <translation>Letzte 30 Tage</translation>
    </message>
    <message>
        <source>Last 12 months</source>
        <translation>Letzte 12 Monate</translation>
    </message>
    <message>
        <source>Any time</source>
        <translation>Jederzeit</translation>
    </message>
    <message>
        <source>Words, “quoted phrases” and filters:
role:user, assistant, tool, summary
tool:bash · model:opus · file:main.py
project:name · source:codex
after:2026-09 · before:7d
is:starred · in:abandoned · in:active
has:image · cost&gt;0.50
Only the first 8 million characters of an entry are searched.</source>
        <translation>Wörter, „Wortgruppen“ und Filter:
role:user, assistant, tool, summary
tool:bash · model:opus · file:main.py
project:name · source:codex
after:2026-09 · before:7d
is:starred · in:abandoned · in:active
has:image · cost&gt;0.50
Nur die ersten 8 Millionen Zeichen eines Eintrags werden durchsucht.</translation>
    </message>
</context>
<context>
    <name>SearchController</name>
    <message numerus="yes">
        <source>More than %Ln hits</source>
        <translation>
            <numerusform>Mehr als %Ln Treffer</numerusform>
            <numerusform>Mehr als %Ln Treffer</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln hits</source>
        <translation>
            <numerusform>%Ln Treffer</numerusform>
            <numerusform>%Ln Treffer</numerusform>
        </translation>
    </message>
    <message>
        <source>Recent</source>
        <translation>Zuletzt</translation>
    </message>
    <message>
        <source>In this session</source>
        <translation>In dieser Sitzung</translation>
    </message>
    <message>
        <source>Sessions</source>
        <translation>Sitzungen</translation>
    </message>
    <message>
        <source>More actions</source>
        <translation>Weitere Aktionen</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>Suchen</translation>
    </message>
    <message>
        <source>No session has this text</source>
        <translation>Keine Sitzung enthält diesen Text</translation>
    </message>
    <message numerus="yes">
        <source>All sessions · more than %Ln hits</source>
        <translation>
            <numerusform>Alle Sitzungen · mehr als %Ln Treffer</numerusform>
            <numerusform>Alle Sitzungen · mehr als %Ln Treffer</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>All sessions · %Ln hits</source>
        <translation>
            <numerusform>Alle Sitzungen · %Ln Treffer</numerusform>
            <numerusform>Alle Sitzungen · %Ln Treffer</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln sessions</source>
        <translation>
            <numerusform>%Ln Sitzung</numerusform>
            <numerusform>%Ln Sitzungen</numerusform>
        </translation>
    </message>
    <message>
        <source>{0} in {1}</source>
        <translation>{0} in {1}</translation>
    </message>
    <message>
        <source>Search abandoned branches only</source>
        <translation>Nur verlassene Zweige durchsuchen</translation>
    </message>
    <message>
        <source>Search active branches only</source>
        <translation>Nur aktive Zweige durchsuchen</translation>
    </message>
    <message>
        <source>branch {0} · abandoned</source>
        <translation>Zweig {0} · verlassen</translation>
    </message>
    <message>
        <source>deleted branch</source>
        <translation>gelöschter Zweig</translation>
    </message>
    <message>
        <source>Actions</source>
        <translation>Aktionen</translation>
    </message>
</context>
<context>
    <name>SearchLine</name>
    <message>
        <source>Search in these branches</source>
        <translation>In diesen Zweigen suchen</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keine</translation>
    </message>
    <message>
        <source>{0} of {1}</source>
        <translation>{0} von {1}</translation>
    </message>
</context>
<context>
    <name>ServerForm</name>
    <message>
        <source>Each of its tools asks before it acts, until you say “always” or “never” for a folder.</source>
        <translation>Jedes seiner Werkzeuge fragt, bevor es handelt, bis du für einen Ordner „immer“ oder „nie“ sagst.</translation>
    </message>
    <message>
        <source>Test</source>
        <translation>Testen</translation>
    </message>
    <message>
        <source>Server {0}</source>
        <translation>Server {0}</translation>
    </message>
    <message>
        <source>New tool server</source>
        <translation>Neuer Werkzeugserver</translation>
    </message>
    <message>
        <source>The key is not used yet: write {0} here, where the server needs it.</source>
        <translation>Der Schlüssel wird noch nicht benutzt: Schreib hier {0}, wo der Server ihn braucht.</translation>
    </message>
</context>
<context>
    <name>ServerRow</name>
    <message>
        <source>Start</source>
        <translation>Starten</translation>
    </message>
    <message>
        <source>Restart</source>
        <translation>Neu starten</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>Bearbeiten</translation>
    </message>
    <message>
        <source>Edit {0}</source>
        <translation>{0} bearbeiten</translation>
    </message>
    <message>
        <source>Start {0}</source>
        <translation>{0} starten</translation>
    </message>
    <message>
        <source>Restart {0}</source>
        <translation>{0} neu starten</translation>
    </message>
    <message>
        <source>Stop {0}</source>
        <translation>{0} anhalten</translation>
    </message>
    <message>
        <source>Key; it replaces a stored one</source>
        <translation>Schlüssel; er ersetzt einen gespeicherten</translation>
    </message>
    <message>
        <source>Key for {0}</source>
        <translation>Schlüssel für {0}</translation>
    </message>
    <message>
        <source>Save key</source>
        <translation>Schlüssel speichern</translation>
    </message>
    <message>
        <source>Save the key for {0}</source>
        <translation>Den Schlüssel für {0} speichern</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>Angehalten</translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation>Startet …</translation>
    </message>
    <message numerus="yes">
        <source>Running with %Ln tools</source>
        <translation>
            <numerusform>Läuft mit %Ln Werkzeug</numerusform>
            <numerusform>Läuft mit %Ln Werkzeugen</numerusform>
        </translation>
    </message>
    <message>
        <source>Failed: {0}</source>
        <translation>Fehlgeschlagen: {0}</translation>
    </message>
</context>
<context>
    <name>ServersController</name>
    <message>
        <source>Tool servers</source>
        <translation>Werkzeugserver</translation>
    </message>
    <message>
        <source>Starting it…</source>
        <translation>Wird gestartet …</translation>
    </message>
    <message numerus="yes">
        <source>The server works and has %Ln tools: {0}</source>
        <translation>
            <numerusform>Der Server funktioniert und hat %Ln Werkzeug: {0}</numerusform>
            <numerusform>Der Server funktioniert und hat %Ln Werkzeuge: {0}</numerusform>
        </translation>
    </message>
    <message>
        <source>{0} was removed, and its key and consents deleted.</source>
        <translation>{0} wurde entfernt, Schlüssel und Zustimmungen wurden gelöscht.</translation>
    </message>
</context>
<context>
    <name>ServersPage</name>
    <message>
        <source>Add a server…</source>
        <translation>Server hinzufügen …</translation>
    </message>
    <message>
        <source>No tool servers yet.</source>
        <translation>Noch keine Werkzeugserver.</translation>
    </message>
    <message>
        <source>Always allowed or forbidden</source>
        <translation>Immer erlaubt oder verboten</translation>
    </message>
    <message>
        <source>MCP servers, whose tools the model may call. They start with the first message of a chat; each tool asks before it acts.</source>
        <translation>MCP-Server, deren Werkzeuge das Modell rufen darf. Sie starten mit der ersten Nachricht eines Chats; jedes Werkzeug fragt, bevor es handelt.</translation>
    </message>
    <message>
        <source>{0} of {1}: always</source>
        <translation>{0} von {1}: immer</translation>
    </message>
    <message>
        <source>{0} of {1}: never</source>
        <translation>{0} von {1}: nie</translation>
    </message>
    <message>
        <source>Sessions without a folder</source>
        <translation>Sitzungen ohne Ordner</translation>
    </message>
    <message>
        <source>Ask again</source>
        <translation>Wieder fragen</translation>
    </message>
    <message>
        <source>Ask again before {0}</source>
        <translation>Vor {0} wieder fragen</translation>
    </message>
</context>
<context>
    <name>SessionController</name>
    <message>
        <source>{0} – Stemmata</source>
        <translation>{0} – Stemmata</translation>
    </message>
</context>
<context>
    <name>SessionDelegate</name>
    <message>
        <source>Unarchive</source>
        <translation>Aus dem Archiv holen</translation>
    </message>
    <message>
        <source>Archive</source>
        <translation>Archivieren</translation>
    </message>
</context>
<context>
    <name>SessionListController</name>
    <message>
        <source>Archived {0}.</source>
        <translation>{0} archiviert.</translation>
    </message>
    <message>
        <source>Moved {0} to the trash.</source>
        <translation>{0} in den Papierkorb verschoben.</translation>
    </message>
    <message>
        <source>Name of the session</source>
        <translation>Name der Sitzung</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Umbenennen</translation>
    </message>
    <message numerus="yes">
        <source>%Ln sessions</source>
        <translation>
            <numerusform>%Ln Sitzung</numerusform>
            <numerusform>%Ln Sitzungen</numerusform>
        </translation>
    </message>
    <message>
        <source>Delete permanently</source>
        <translation>Endgültig löschen</translation>
    </message>
    <message>
        <source>The sessions and their source records are removed from the archive. This cannot be undone. The tools&apos; own files are not touched, and forks keep the entries that they share.</source>
        <translation>Die Sitzungen und ihre Quelldaten werden aus dem Archiv entfernt. Das lässt sich nicht rückgängig machen. Die Dateien der Werkzeuge bleiben unberührt, und Abzweigungen behalten gemeinsame Einträge.</translation>
    </message>
    <message>
        <source>Delete {0}, {1} permanently?</source>
        <translation>{0}, {1} endgültig löschen?</translation>
    </message>
    <message numerus="yes">
        <source>Deleted %Ln sessions permanently.</source>
        <translation>
            <numerusform>%Ln Sitzung endgültig gelöscht.</numerusform>
            <numerusform>%Ln Sitzungen endgültig gelöscht.</numerusform>
        </translation>
    </message>
    <message>
        <source>Restore from trash</source>
        <translation>Aus dem Papierkorb holen</translation>
    </message>
    <message>
        <source>Unarchive</source>
        <translation>Aus dem Archiv holen</translation>
    </message>
    <message numerus="yes">
        <source>Delete “{0}” with its %Ln entries?</source>
        <translation>
            <numerusform>„{0}“ mit %Ln Eintrag löschen?</numerusform>
            <numerusform>„{0}“ mit %Ln Einträgen löschen?</numerusform>
        </translation>
    </message>
    <message>
        <source>Unarchived {0}.</source>
        <translation>{0} aus dem Archiv geholt.</translation>
    </message>
    <message>
        <source>Restored {0} from the trash.</source>
        <translation>{0} aus dem Papierkorb geholt.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln entries</source>
        <translation>
            <numerusform>%Ln Eintrag</numerusform>
            <numerusform>%Ln Einträge</numerusform>
        </translation>
    </message>
    <message>
        <source>Unstar</source>
        <translation>Stern entfernen</translation>
    </message>
    <message>
        <source>Star</source>
        <translation>Mit Stern markieren</translation>
    </message>
    <message>
        <source>Move to trash</source>
        <translation>In den Papierkorb</translation>
    </message>
    <message>
        <source>Archive</source>
        <translation>Archivieren</translation>
    </message>
</context>
<context>
    <name>Sessions</name>
    <message>
        <source>New chat</source>
        <translation>Neuer Chat</translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation>Ohne Titel</translation>
    </message>
    <message>
        <source>just now</source>
        <translation>gerade eben</translation>
    </message>
    <message>
        <source>{0} min ago</source>
        <translation>vor {0} min</translation>
    </message>
    <message>
        <source>{0} h ago</source>
        <translation>vor {0} h</translation>
    </message>
    <message>
        <source>yesterday</source>
        <translation>gestern</translation>
    </message>
    <message>
        <source>{0} d ago</source>
        <translation>vor {0} T.</translation>
    </message>
    <message>
        <source>today {0}</source>
        <translation>heute {0}</translation>
    </message>
    <message>
        <source>yesterday {0}</source>
        <translation>gestern {0}</translation>
    </message>
    <message>
        <source>deleted by {0}</source>
        <translation>von {0} gelöscht</translation>
    </message>
    <message numerus="yes">
        <source>%Ln branches</source>
        <translation>
            <numerusform>%Ln Zweig</numerusform>
            <numerusform>%Ln Zweige</numerusform>
        </translation>
    </message>
    <message>
        <source>archived</source>
        <translation>archiviert</translation>
    </message>
    <message>
        <source>deleted by its tool</source>
        <translation>vom Werkzeug gelöscht</translation>
    </message>
    <message>
        <source>subagent</source>
        <translation>Subagent</translation>
    </message>
    <message>
        <source>compacted from {0}</source>
        <translation>verdichtet aus {0}</translation>
    </message>
    <message>
        <source>continued from a summary</source>
        <translation>aus Zusammenfassung fortgesetzt</translation>
    </message>
    <message>
        <source>after a reset</source>
        <translation>nach einem Neubeginn</translation>
    </message>
    <message>
        <source>handed over</source>
        <translation>übergeben</translation>
    </message>
    <message>
        <source>fork</source>
        <translation>Abzweigung</translation>
    </message>
    <message>
        <source>Forked from “{0}” at “{1}”</source>
        <translation>Abgezweigt von „{0}“ bei „{1}“</translation>
    </message>
    <message>
        <source>Continued from “{0}”</source>
        <translation>Fortsetzung von „{0}“</translation>
    </message>
    <message>
        <source>After the reset of “{0}”, continues {1}</source>
        <translation>Nach dem Neubeginn von „{0}“, führt {1} fort</translation>
    </message>
    <message>
        <source>Forked from “{0}”</source>
        <translation>Abgezweigt von „{0}“</translation>
    </message>
    <message>
        <source>Started by “{0}”</source>
        <translation>Gestartet von „{0}“</translation>
    </message>
    <message>
        <source>Handed over from “{0}”</source>
        <translation>Übergeben aus „{0}“</translation>
    </message>
    <message>
        <source>Continued as “{0}”</source>
        <translation>Fortgesetzt als „{0}“</translation>
    </message>
    <message>
        <source>Reset: {1} continues as “{0}”</source>
        <translation>Neubeginn: {1} geht weiter als „{0}“</translation>
    </message>
    <message>
        <source>Handed over to {2} as “{0}”</source>
        <translation>Übergeben an {2} als „{0}“</translation>
    </message>
    <message>
        <source>Forked as “{0}”</source>
        <translation>Abgezweigt als „{0}“</translation>
    </message>
    <message>
        <source>Started “{0}”</source>
        <translation>„{0}“ gestartet</translation>
    </message>
    <message numerus="yes">
        <source>Started %Ln agents</source>
        <translation>
            <numerusform>%Ln Agent gestartet</numerusform>
            <numerusform>%Ln Agenten gestartet</numerusform>
        </translation>
    </message>
    <message>
        <source>finalised with a summary</source>
        <translation>abgeschlossen, mit Zusammenfassung</translation>
    </message>
    <message>
        <source>reply streaming</source>
        <translation>Antwort läuft</translation>
    </message>
    <message>
        <source>followed: new entries are imported</source>
        <translation>überwacht: neue Einträge werden importiert</translation>
    </message>
    <message>
        <source>deleted by its tool; the session is safe here</source>
        <translation>von ihrem Werkzeug gelöscht; hier ist die Sitzung sicher</translation>
    </message>
    <message>
        <source>{0} deleted this session on {1}. It is safe here.</source>
        <translation>{0} hat diese Sitzung am {1} gelöscht. Hier ist sie sicher.</translation>
    </message>
    <message>
        <source>{0} deleted this session. It is safe here.</source>
        <translation>{0} hat diese Sitzung gelöscht. Hier ist sie sicher.</translation>
    </message>
    <message>
        <source>{0} removed this branch. It is kept here.</source>
        <translation>{0} hat diesen Zweig entfernt. Hier bleibt er erhalten.</translation>
    </message>
    <message>
        <source>{0} removed this branch on {1}. It is kept here.</source>
        <translation>{0} hat diesen Zweig am {1} entfernt. Hier bleibt er erhalten.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln new</source>
        <comment>entries</comment>
        <translation>
            <numerusform>%Ln neu</numerusform>
            <numerusform>%Ln neu</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln new entries</source>
        <translation>
            <numerusform>%Ln neuer Eintrag</numerusform>
            <numerusform>%Ln neue Einträge</numerusform>
        </translation>
    </message>
    <message>
        <source>No folder</source>
        <translation>Kein Ordner</translation>
    </message>
    <message numerus="yes">
        <source>%Ln sessions</source>
        <translation>
            <numerusform>%Ln Sitzung</numerusform>
            <numerusform>%Ln Sitzungen</numerusform>
        </translation>
    </message>
    <message>
        <source>Agents without their session · {0}</source>
        <translation>Agenten ohne ihre Sitzung · {0}</translation>
    </message>
    <message>
        <source>Automated · {0}</source>
        <translation>Automatisch · {0}</translation>
    </message>
    <message>
        <source>Automated · {0} hidden</source>
        <translation>Automatisch · {0} verborgen</translation>
    </message>
    <message>
        <source>Agents without their session</source>
        <translation>Agenten ohne ihre Sitzung</translation>
    </message>
    <message>
        <source>Automated</source>
        <translation>Automatisch</translation>
    </message>
    <message>
        <source>shown</source>
        <comment>sessions</comment>
        <translation>gezeigt</translation>
    </message>
    <message>
        <source>hidden</source>
        <comment>sessions</comment>
        <translation>verborgen</translation>
    </message>
    <message>
        <source>Without tags</source>
        <translation>Ohne Schlagwörter</translation>
    </message>
    <message>
        <source>Without a date</source>
        <translation>Ohne Datum</translation>
    </message>
    <message>
        <source>Yesterday</source>
        <translation>Gestern</translation>
    </message>
    <message>
        <source>Today</source>
        <translation>Heute</translation>
    </message>
    <message numerus="yes">
        <source>%Ln nested, shown</source>
        <comment>sessions</comment>
        <translation>
            <numerusform>%Ln darunter, sichtbar</numerusform>
            <numerusform>%Ln darunter, sichtbar</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln nested</source>
        <comment>sessions</comment>
        <translation>
            <numerusform>%Ln darunter</numerusform>
            <numerusform>%Ln darunter</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>SessionsView</name>
    <message>
        <source>Sessions</source>
        <translation>Sitzungen</translation>
    </message>
    <message>
        <source>New chat</source>
        <translation>Neuer Chat</translation>
    </message>
    <message>
        <source>Import</source>
        <translation>Import</translation>
    </message>
    <message>
        <source>Sort and filter</source>
        <translation>Sortieren und filtern</translation>
    </message>
    <message>
        <source>Filter sessions</source>
        <translation>Sitzungen filtern</translation>
    </message>
    <message>
        <source>Project</source>
        <translation>Projekt</translation>
    </message>
    <message>
        <source>Tool</source>
        <translation>Werkzeug</translation>
    </message>
    <message>
        <source>Day</source>
        <translation>Tag</translation>
    </message>
    <message>
        <source>Tag</source>
        <translation>Schlagwort</translation>
    </message>
    <message>
        <source>Group by: {0}</source>
        <translation>Gruppieren nach: {0}</translation>
    </message>
    <message numerus="yes">
        <source>%Ln sessions</source>
        <translation>
            <numerusform>%Ln Sitzung</numerusform>
            <numerusform>%Ln Sitzungen</numerusform>
        </translation>
    </message>
    <message>
        <source>Filter {0}</source>
        <translation>{0} filtern</translation>
    </message>
    <message>
        <source>{0} of {1}</source>
        <translation>{0} von {1}</translation>
    </message>
    <message>
        <source>Trash</source>
        <translation>Papierkorb</translation>
    </message>
    <message>
        <source>No session matches. Press Esc to show all sessions.</source>
        <translation>Keine Sitzung passt. Esc zeigt alle Sitzungen.</translation>
    </message>
    <message>
        <source>All sessions are archived. Choose View → Show archived sessions to list them.</source>
        <translation>Alle Sitzungen sind archiviert. Ansicht → Archivierte Sitzungen zeigen listet sie auf.</translation>
    </message>
    <message>
        <source>No sessions yet. Import sessions, or drop files anywhere in this window.</source>
        <translation>Noch keine Sitzungen. Importiere welche oder lege Dateien irgendwo in diesem Fenster ab.</translation>
    </message>
    <message>
        <source>The trash is empty.</source>
        <translation>Der Papierkorb ist leer.</translation>
    </message>
</context>
<context>
    <name>SettingField</name>
    <message>
        <source>changed</source>
        <translation>geändert</translation>
    </message>
    <message>
        <source>Back to the default: {0}</source>
        <translation>Zurück zur Vorgabe: {0}</translation>
    </message>
    <message>
        <source>Default: {0}</source>
        <translation>Vorgabe: {0}</translation>
    </message>
</context>
<context>
    <name>Settings</name>
    <message>
        <source>not set</source>
        <translation>nicht gesetzt</translation>
    </message>
    <message>
        <source>on</source>
        <translation>an</translation>
    </message>
    <message>
        <source>off</source>
        <translation>aus</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>Fenster</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>Farben</translation>
    </message>
    <message>
        <source>Colours of the window.</source>
        <translation>Farben des Fensters.</translation>
    </message>
    <message>
        <source>System</source>
        <translation>System</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Hell</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>Dunkel</translation>
    </message>
    <message>
        <source>High contrast</source>
        <translation>Hoher Kontrast</translation>
    </message>
    <message>
        <source>Language of the window; a change takes effect at the next start.</source>
        <translation>Sprache des Fensters; eine Änderung gilt ab dem nächsten Start.</translation>
    </message>
    <message>
        <source>Enter sends the message; when off, Enter starts a new line and Ctrl+Enter sends.</source>
        <translation>Die Eingabetaste sendet die Nachricht; sonst beginnt sie eine neue Zeile, und Strg+Eingabe sendet.</translation>
    </message>
    <message>
        <source>Font</source>
        <translation>Schrift</translation>
    </message>
    <message>
        <source>Font of the window; empty for the default font.</source>
        <translation>Schrift des Fensters; leer für die Standardschrift.</translation>
    </message>
    <message>
        <source>Font of code</source>
        <translation>Schrift für Code</translation>
    </message>
    <message>
        <source>Font of code and output; empty for the default font.</source>
        <translation>Schrift von Code und Ausgaben; leer für die Standardschrift.</translation>
    </message>
    <message>
        <source>Tab width</source>
        <translation>Tabulatorbreite</translation>
    </message>
    <message>
        <source>Width of a tab in code and output, in spaces.</source>
        <translation>Breite eines Tabulators in Code und Ausgaben, in Leerzeichen.</translation>
    </message>
    <message>
        <source>Wrap code</source>
        <translation>Code umbrechen</translation>
    </message>
    <message>
        <source>Wrap long lines of code and output; when off, they are scrolled sideways.</source>
        <translation>Lange Zeilen von Code und Ausgaben umbrechen; sonst werden sie seitwärts verschoben.</translation>
    </message>
    <message>
        <source>Folders whose sessions are imported while the window is open, separated by semicolons.</source>
        <translation>Ordner, deren Sitzungen importiert werden, solange das Fenster offen ist; durch Semikolons getrennt.</translation>
    </message>
    <message>
        <source>Automatic compaction</source>
        <translation>Automatische Verdichtung</translation>
    </message>
    <message>
        <source>Compact automatically when the context exceeds the trigger.</source>
        <translation>Automatisch verdichten, wenn der Kontext die Schwelle überschreitet.</translation>
    </message>
    <message>
        <source>Trigger (percent)</source>
        <translation>Schwelle (Prozent)</translation>
    </message>
    <message>
        <source>Trigger for automatic compaction, in percent of the model&apos;s context window.</source>
        <translation>Schwelle für die automatische Verdichtung, in Prozent des Kontextfensters des Modells.</translation>
    </message>
    <message>
        <source>Tokens kept free for the reply; the trigger always leaves this much of the context window.</source>
        <translation>Tokens, die für die Antwort frei bleiben; die Schwelle lässt immer so viel vom Kontextfenster übrig.</translation>
    </message>
    <message>
        <source>Tokens at the end of the context that a compaction keeps unchanged.</source>
        <translation>Tokens am Ende des Kontexts, die eine Verdichtung unverändert lässt.</translation>
    </message>
    <message>
        <source>Prune tool results when they exceed this many tokens.</source>
        <translation>Werkzeugergebnisse auslassen, wenn sie mehr als so viele Tokens umfassen.</translation>
    </message>
    <message>
        <source>Tool results kept by pruning</source>
        <translation>Werkzeugergebnisse, die bleiben</translation>
    </message>
    <message>
        <source>Tokens of the newest tool results that pruning keeps.</source>
        <translation>Tokens der neuesten Werkzeugergebnisse, die dabei bleiben.</translation>
    </message>
    <message>
        <source>Tool results that pruning keeps: chosen by tool, all, or none.</source>
        <translation>Werkzeugergebnisse, die dabei bleiben: je nach Werkzeug, alle oder keine.</translation>
    </message>
    <message>
        <source>Policy by tool</source>
        <translation>Regel je Werkzeug</translation>
    </message>
    <message>
        <source>What the policy auto does with the results of single tools: prunes them, keeps them, or keeps them and gives them to the summariser as a whole. Other results are pruned.</source>
        <translation>Was bei der Regel „Auto“ mit den Ergebnissen einzelner Werkzeuge geschieht: Sie werden ausgelassen, oder sie bleiben, oder sie bleiben und gehen ungekürzt in die Zusammenfassung. Andere Ergebnisse werden ausgelassen.</translation>
    </message>
    <message>
        <source>Prune</source>
        <translation>Auslassen</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>Behalten</translation>
    </message>
    <message>
        <source>Summarise</source>
        <translation>Zusammenfassen</translation>
    </message>
    <message>
        <source>Summary writer</source>
        <translation>Verfasser von Zusammenfassungen</translation>
    </message>
    <message>
        <source>Summaries are written by a model, or extracted without a model as a digest.</source>
        <translation>Zusammenfassungen schreibt ein Modell, oder sie entstehen ohne Modell als Auszug.</translation>
    </message>
    <message>
        <source>Connection for summaries</source>
        <translation>Verbindung für Zusammenfassungen</translation>
    </message>
    <message>
        <source>Connection whose model writes summaries, with its own key; empty for the connection of the session.</source>
        <translation>Verbindung, deren Modell Zusammenfassungen schreibt, mit eigenem Schlüssel; leer für die Verbindung der Sitzung.</translation>
    </message>
    <message>
        <source>Model for summaries</source>
        <translation>Modell für Zusammenfassungen</translation>
    </message>
    <message>
        <source>Model that writes summaries; empty for the model of the connection for summaries, or of the session.</source>
        <translation>Modell, das Zusammenfassungen schreibt; leer für das Modell der Verbindung für Zusammenfassungen oder der Sitzung.</translation>
    </message>
    <message>
        <source>Where the summary goes: below the current leaf, or to the start of a new session.</source>
        <translation>Wohin die Zusammenfassung kommt: unter das aktuelle Blatt oder an den Anfang einer neuen Sitzung.</translation>
    </message>
    <message>
        <source>Compact and retry once per reply when the provider refuses a request as too long.</source>
        <translation>Einmal je Antwort verdichten und wiederholen, wenn der Anbieter eine Anfrage als zu lang ablehnt.</translation>
    </message>
    <message>
        <source>Report each compaction and pruning as a note in the session; automatic ones also in the window and on stderr.</source>
        <translation>Jede Verdichtung und jedes Auslassen in der Sitzung notieren, automatische auch im Fenster und auf stderr melden.</translation>
    </message>
    <message>
        <source>Resume in full up to</source>
        <translation>Vollständig fortsetzen bis</translation>
    </message>
    <message>
        <source>Memory notes before a compaction</source>
        <translation>Notizen vor einer Verdichtung</translation>
    </message>
    <message>
        <source>Place for notes that the model stores in a silent turn before a compaction: none, a folder of Stemmata, or the folder “memory” in the folder of the session. If a place is chosen, the model gets the tool “memory”.</source>
        <translation>Ort für Notizen, die das Modell vor einer Verdichtung in einer stillen Runde ablegt: keiner, ein Ordner von Stemmata oder der Ordner „memory“ im Ordner der Sitzung. Ist ein Ort gewählt, bekommt das Modell das Werkzeug „memory“.</translation>
    </message>
    <message>
        <source>Text after the system prompt while the model stores its notes. If it is set, the request for the notes does not use the prompt cache.</source>
        <translation>Text nach dem System-Prompt, während das Modell seine Notizen ablegt. Ist er gesetzt, nutzt die Anfrage nach den Notizen den Prompt-Cache nicht.</translation>
    </message>
    <message>
        <source>Connection for sessions that name none; empty for the first connection.</source>
        <translation>Verbindung für Sitzungen, die keine nennen; leer für die erste Verbindung.</translation>
    </message>
    <message>
        <source>Maximum reply length</source>
        <translation>Höchstlänge einer Antwort</translation>
    </message>
    <message>
        <source>Maximum length of a reply, in tokens.</source>
        <translation>Höchstlänge einer Antwort, in Tokens.</translation>
    </message>
    <message>
        <source>Prompt cache lifetime</source>
        <translation>Lebensdauer des Prompt-Caches</translation>
    </message>
    <message>
        <source>How long the provider keeps sent text in its prompt cache, if it offers a choice.</source>
        <translation>Wie lange der Anbieter Gesendetes im Prompt-Cache behält, wenn er eine Wahl lässt.</translation>
    </message>
    <message>
        <source>Maximum number of automatic retries when the server is busy.</source>
        <translation>Höchstzahl automatischer Wiederholungen, wenn der Server ausgelastet ist.</translation>
    </message>
    <message>
        <source>Longest wait between retries</source>
        <translation>Längste Pause zwischen Wiederholungen</translation>
    </message>
    <message>
        <source>Maximum wait between two attempts, in seconds, even if the server asks for more.</source>
        <translation>Längste Pause zwischen zwei Versuchen, in Sekunden, auch wenn der Server mehr verlangt.</translation>
    </message>
    <message>
        <source>Tool rounds</source>
        <translation>Werkzeugrunden</translation>
    </message>
    <message>
        <source>Replies with tool calls in one run before Stemmata asks whether to continue.</source>
        <translation>Antworten mit Werkzeugaufrufen in einem Lauf, bevor Stemmata fragt, ob es weitergehen soll.</translation>
    </message>
    <message>
        <source>Timeout for a silent server</source>
        <translation>Wartezeit bei stillem Server</translation>
    </message>
    <message>
        <source>Seconds without data after which a reply counts as failed.</source>
        <translation>Sekunden ohne Daten, nach denen eine Antwort als gescheitert gilt.</translation>
    </message>
    <message>
        <source>Text that every request sends to the model first.</source>
        <translation>Text, den jede Anfrage dem Modell zuerst sendet.</translation>
    </message>
    <message>
        <source>Skill folders</source>
        <translation>Ordner mit Skills</translation>
    </message>
    <message>
        <source>Activate skills by the message</source>
        <translation>Skills durch die Nachricht aktivieren</translation>
    </message>
    <message>
        <source>A message activates the skills that it names or that its words describe, three at most.</source>
        <translation>Eine Nachricht aktiviert die Skills, die sie nennt oder deren Beschreibung zu ihr passt, höchstens drei.</translation>
    </message>
    <message>
        <source>The model may search all sessions (recall) and, with your consent, write lasting notes (memory).</source>
        <translation>Das Modell darf alle Sitzungen durchsuchen (recall) und mit deiner Zustimmung bleibende Notizen schreiben (memory).</translation>
    </message>
    <message>
        <source>Daily reset at</source>
        <translation>Täglicher Neubeginn um</translation>
    </message>
    <message>
        <source>Hour of the day (local time) from which the next message of a conversation with a key begins a new session.</source>
        <translation>Stunde des Tages in Ortszeit, ab der die nächste Nachricht einer Unterhaltung mit Schlüssel eine neue Sitzung beginnt.</translation>
    </message>
    <message>
        <source>Reset after idle minutes</source>
        <translation>Neubeginn nach Minuten ohne Nachricht</translation>
    </message>
    <message>
        <source>Minutes without messages after which the next message of a conversation with a key begins a new session.</source>
        <translation>Minuten ohne Nachricht, nach denen die nächste Nachricht einer Unterhaltung mit Schlüssel eine neue Sitzung beginnt.</translation>
    </message>
    <message>
        <source>Reset as in the gateway</source>
        <translation>Neubeginn wie im Gateway</translation>
    </message>
    <message>
        <source>Imported conversations of a gateway such as OpenClaw begin a new session when the gateway’s settings say so.</source>
        <translation>Importierte Unterhaltungen eines Gateways wie OpenClaw beginnen eine neue Sitzung, wenn die Einstellungen des Gateways es verlangen.</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>Suche</translation>
    </message>
    <message>
        <source>Search by meaning</source>
        <translation>Suche nach Bedeutung</translation>
    </message>
    <message>
        <source>Also find prompts, summaries and titles of similar meaning: off, by a model on this machine, or by a connection, to which the texts are sent.</source>
        <translation>Auch Prompts, Zusammenfassungen und Titel mit ähnlicher Bedeutung finden: aus, durch ein Modell auf diesem Rechner oder durch eine Verbindung, an die die Texte gesendet werden.</translation>
    </message>
    <message>
        <source>Local</source>
        <translation>Lokal</translation>
    </message>
    <message>
        <source>Connection</source>
        <translation>Verbindung</translation>
    </message>
    <message>
        <source>Embedding connection</source>
        <translation>Verbindung für Einbettungen</translation>
    </message>
    <message>
        <source>Connection whose server computes embeddings.</source>
        <translation>Verbindung, deren Server Einbettungen berechnet.</translation>
    </message>
    <message>
        <source>Embedding model</source>
        <translation>Modell für Einbettungen</translation>
    </message>
    <message>
        <source>Model that computes embeddings; empty for the model of the connection for embeddings.</source>
        <translation>Modell, das Einbettungen berechnet; leer für das Modell der Verbindung für Einbettungen.</translation>
    </message>
    <message>
        <source>Prune tool results above</source>
        <translation>Werkzeugergebnisse auslassen ab</translation>
    </message>
    <message>
        <source>Compact and retry on overflow</source>
        <translation>Bei Überlauf verdichten und wiederholen</translation>
    </message>
    <message>
        <source>Sessions up to this percentage of the context window are resumed in full; larger sessions are resumed from a summary.</source>
        <translation>Sitzungen bis zu diesem Prozentsatz des Kontextfensters werden vollständig fortgesetzt, größere aus einer Zusammenfassung.</translation>
    </message>
    <message>
        <source>5 minutes</source>
        <translation>5 Minuten</translation>
    </message>
    <message>
        <source>1 hour</source>
        <translation>1 Stunde</translation>
    </message>
    <message>
        <source>Folders with skills that sessions can activate, separated by semicolons; a relative path starts at the session&apos;s folder.</source>
        <translation>Ordner mit Skills, die Sitzungen aktivieren können, getrennt durch Semikolons; ein relativer Pfad beginnt im Ordner der Sitzung.</translation>
    </message>
    <message>
        <source>Recall and memory</source>
        <translation>Erinnern und Gedächtnis</translation>
    </message>
    <message>
        <source>Size of all text, in percent.</source>
        <translation>Größe aller Texte, in Prozent.</translation>
    </message>
    <message>
        <source>Text size</source>
        <translation>Textgröße</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Sprache</translation>
    </message>
    <message>
        <source>English</source>
        <translation>English</translation>
    </message>
    <message>
        <source>Deutsch</source>
        <translation>Deutsch</translation>
    </message>
    <message>
        <source>Enter sends</source>
        <translation>Eingabe sendet</translation>
    </message>
    <message>
        <source>Sources</source>
        <translation>Quellen</translation>
    </message>
    <message>
        <source>Follow these folders</source>
        <translation>Diese Ordner überwachen</translation>
    </message>
    <message>
        <source>Compaction</source>
        <translation>Verdichtung</translation>
    </message>
    <message>
        <source>Reserve tokens</source>
        <translation>Reserve in Tokens</translation>
    </message>
    <message>
        <source>Minimum reserve for gateways</source>
        <translation>Mindestreserve für Gateways</translation>
    </message>
    <message>
        <source>Minimum number of tokens kept free in sessions of a gateway such as OpenClaw; 0 for no minimum.</source>
        <translation>Mindestzahl an Tokens, die in Sitzungen eines Gateways wie OpenClaw frei bleiben; 0 für kein Minimum.</translation>
    </message>
    <message>
        <source>Keep recent tokens</source>
        <translation>Letzte Tokens behalten</translation>
    </message>
    <message>
        <source>Keep recent messages</source>
        <translation>Letzte Nachrichten behalten</translation>
    </message>
    <message>
        <source>Messages at the end of the context that a compaction keeps unchanged, tool results not counted; replaces the token limit when set.</source>
        <translation>Nachrichten am Ende des Kontexts, die eine Verdichtung unverändert lässt, ohne Werkzeugergebnisse gezählt; ersetzt, wenn gesetzt, die Grenze in Tokens.</translation>
    </message>
    <message>
        <source>Tool policy</source>
        <translation>Umgang mit Werkzeugausgaben</translation>
    </message>
    <message>
        <source>Auto</source>
        <translation>Automatisch</translation>
    </message>
    <message>
        <source>Keep all</source>
        <translation>Alle behalten</translation>
    </message>
    <message>
        <source>Keep none</source>
        <translation>Keine behalten</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Digest</source>
        <translation>Auszug</translation>
    </message>
    <message>
        <source>Place of the summary</source>
        <translation>Ort der Zusammenfassung</translation>
    </message>
    <message>
        <source>In place</source>
        <translation>An Ort und Stelle</translation>
    </message>
    <message>
        <source>New session</source>
        <translation>Neue Sitzung</translation>
    </message>
    <message>
        <source>Notices of automatic compactions</source>
        <translation>Hinweise auf automatische Verdichtungen</translation>
    </message>
    <message>
        <source>Stemmata</source>
        <translation>Stemmata</translation>
    </message>
    <message>
        <source>Workspace</source>
        <translation>Ordner der Sitzung</translation>
    </message>
    <message>
        <source>Memory notes before the trigger</source>
        <translation>Notizen vor der Schwelle</translation>
    </message>
    <message>
        <source>Tokens below the trigger of automatic compaction at which the model stores its notes.</source>
        <translation>So viele Token unter der Schwelle der automatischen Verdichtung legt das Modell seine Notizen ab.</translation>
    </message>
    <message>
        <source>Prompt for memory notes</source>
        <translation>Prompt für Notizen</translation>
    </message>
    <message>
        <source>Text that asks the model for its notes; {file} stands for the file of the day; empty for Stemmata’s text.</source>
        <translation>Text, der das Modell um seine Notizen bittet; {file} steht für die Datei des Tages; leer für den Text von Stemmata.</translation>
    </message>
    <message>
        <source>System prompt for memory notes</source>
        <translation>System-Prompt für Notizen</translation>
    </message>
    <message>
        <source>Chat</source>
        <translation>Chat</translation>
    </message>
    <message>
        <source>Default connection</source>
        <translation>Standardverbindung</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>Aus</translation>
    </message>
    <message>
        <source>Retries</source>
        <translation>Wiederholungen</translation>
    </message>
    <message>
        <source>System prompt</source>
        <translation>System-Prompt</translation>
    </message>
</context>
<context>
    <name>SettingsDialog</name>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Sections</source>
        <translation>Abschnitte</translation>
    </message>
    <message>
        <source>Keyboard shortcuts…</source>
        <translation>Tastenkürzel …</translation>
    </message>
</context>
<context>
    <name>ShortcutField</name>
    <message>
        <source>Keys: {0}</source>
        <translation>Tasten: {0}</translation>
    </message>
    <message>
        <source>Back to the default</source>
        <translation>Zurück zur Vorgabe</translation>
    </message>
    <message>
        <source>{0} in Branches</source>
        <translation>{0} in Zweige</translation>
    </message>
</context>
<context>
    <name>Shortcuts</name>
    <message>
        <source>unknown action “{0}”</source>
        <translation>unbekannte Aktion „{0}“</translation>
    </message>
    <message>
        <source>“{0}” is not a valid shortcut ({1})</source>
        <translation>„{0}“ ist kein gültiges Tastenkürzel ({1})</translation>
    </message>
    <message>
        <source>“{0}” needs Ctrl, Alt or Meta ({1})</source>
        <translation>„{0}“ braucht Strg, Alt oder Meta ({1})</translation>
    </message>
    <message>
        <source>{0} is used twice; “{1}” has no shortcut</source>
        <translation>{0} ist doppelt vergeben; „{1}“ hat kein Kürzel</translation>
    </message>
    <message>
        <source>Some shortcuts in the settings are ignored: {0}.</source>
        <translation>Einige Tastenkürzel der Einstellungen werden ignoriert: {0}.</translation>
    </message>
</context>
<context>
    <name>ShortcutsDialog</name>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>Tastenkürzel</translation>
    </message>
    <message>
        <source>Filter actions</source>
        <translation>Aktionen filtern</translation>
    </message>
    <message>
        <source>Reassign</source>
        <translation>Neu zuweisen</translation>
    </message>
    <message>
        <source>“{0}” alone types a character: add Ctrl, Alt or Meta.</source>
        <translation>„{0}“ allein tippt ein Zeichen: Nimm Strg, Alt oder Meta dazu.</translation>
    </message>
    <message>
        <source>{1} is already the shortcut of “{0}”.</source>
        <translation>{1} ist schon das Kürzel von „{0}“.</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
</context>
<context>
    <name>SkillController</name>
    <message>
        <source>Reading the folders…</source>
        <translation>Die Ordner werden gelesen …</translation>
    </message>
    <message>
        <source>No folder of skills is chosen.</source>
        <translation>Kein Ordner mit Skills ist gewählt.</translation>
    </message>
    <message>
        <source>Filter skills</source>
        <translation>Skills filtern</translation>
    </message>
    <message numerus="yes">
        <source>%Ln more problems</source>
        <translation>
            <numerusform>%Ln weiteres Problem</numerusform>
            <numerusform>%Ln weitere Probleme</numerusform>
        </translation>
    </message>
    <message>
        <source>The chosen folders hold no skills.</source>
        <translation>Die gewählten Ordner enthalten keine Skills.</translation>
    </message>
    <message>
        <source>Active in this session</source>
        <translation>Aktiv in dieser Sitzung</translation>
    </message>
    <message>
        <source>Available</source>
        <translation>Verfügbar</translation>
    </message>
    <message>
        <source>Send the new text of {0}</source>
        <translation>Neuen Text von {0} senden</translation>
    </message>
    <message>
        <source>file changed</source>
        <translation>Datei geändert</translation>
    </message>
    <message>
        <source>file missing</source>
        <translation>Datei fehlt</translation>
    </message>
    <message>
        <source>by a message</source>
        <translation>durch eine Nachricht</translation>
    </message>
    <message>
        <source>Folders</source>
        <translation>Ordner</translation>
    </message>
    <message>
        <source>Add a folder of skills…</source>
        <translation>Ordner mit Skills hinzufügen …</translation>
    </message>
    <message>
        <source>Folders in the settings…</source>
        <translation>Ordner in den Einstellungen …</translation>
    </message>
    <message>
        <source>Add a folder of skills</source>
        <translation>Ordner mit Skills hinzufügen</translation>
    </message>
</context>
<context>
    <name>SplitController</name>
    <message>
        <source>Close this side</source>
        <translation>Diese Seite schließen</translation>
    </message>
    <message>
        <source>Transcript, left side</source>
        <translation>Verlauf, linke Seite</translation>
    </message>
    <message>
        <source>Transcript, right side</source>
        <translation>Verlauf, rechte Seite</translation>
    </message>
</context>
<context>
    <name>StackedBar</name>
    <message>
        <source>Free</source>
        <translation>Frei</translation>
    </message>
</context>
<context>
    <name>StatusLine</name>
    <message>
        <source>Prune tool output</source>
        <translation>Werkzeugausgaben auslassen</translation>
    </message>
    <message numerus="yes">
        <source>%Ln sessions</source>
        <translation>
            <numerusform>%Ln Sitzung</numerusform>
            <numerusform>%Ln Sitzungen</numerusform>
        </translation>
    </message>
    <message>
        <source>Auto-compact at {0}</source>
        <translation>Verdichtet ab {0}</translation>
    </message>
    <message numerus="yes">
        <source>%Ln entries</source>
        <translation>
            <numerusform>%Ln Eintrag</numerusform>
            <numerusform>%Ln Einträge</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln branches</source>
        <translation>
            <numerusform>%Ln Zweig</numerusform>
            <numerusform>%Ln Zweige</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln compactions</source>
        <translation>
            <numerusform>%Ln Verdichtung</numerusform>
            <numerusform>%Ln Verdichtungen</numerusform>
        </translation>
    </message>
    <message>
        <source>This session: {0}</source>
        <translation>Diese Sitzung: {0}</translation>
    </message>
</context>
<context>
    <name>Steps</name>
    <message>
        <source>move to another entry</source>
        <translation>Wechsel zu einem anderen Eintrag</translation>
    </message>
    <message>
        <source>move to “{0}”</source>
        <translation>Wechsel zu „{0}“</translation>
    </message>
    <message>
        <source>summary of the branch that was left</source>
        <translation>Zusammenfassung des verlassenen Zweigs</translation>
    </message>
    <message>
        <source>message</source>
        <translation>Nachricht</translation>
    </message>
    <message>
        <source>message “{0}”</source>
        <translation>Nachricht „{0}“</translation>
    </message>
    <message>
        <source>reply</source>
        <translation>Antwort</translation>
    </message>
    <message>
        <source>compaction</source>
        <translation>Verdichtung</translation>
    </message>
    <message>
        <source>automatic compaction</source>
        <translation>automatische Verdichtung</translation>
    </message>
    <message>
        <source>compaction into a new session</source>
        <translation>Verdichtung in eine neue Sitzung</translation>
    </message>
    <message>
        <source>pruning</source>
        <translation>Auslassen von Werkzeugergebnissen</translation>
    </message>
    <message numerus="yes">
        <source>pruning of %Ln results</source>
        <translation>
            <numerusform>Auslassen von %Ln Ergebnis</numerusform>
            <numerusform>Auslassen von %Ln Ergebnissen</numerusform>
        </translation>
    </message>
    <message>
        <source>automatic pruning</source>
        <translation>automatisches Auslassen</translation>
    </message>
    <message numerus="yes">
        <source>automatic pruning of %Ln results</source>
        <translation>
            <numerusform>automatisches Auslassen von %Ln Ergebnis</numerusform>
            <numerusform>automatisches Auslassen von %Ln Ergebnissen</numerusform>
        </translation>
    </message>
    <message>
        <source>edit of a summary</source>
        <translation>Bearbeiten einer Zusammenfassung</translation>
    </message>
    <message>
        <source>summary of a branch</source>
        <translation>Zusammenfassung eines Zweigs</translation>
    </message>
    <message>
        <source>copied prompt</source>
        <translation>kopierter Prompt</translation>
    </message>
    <message>
        <source>exclusion from the context</source>
        <translation>Ausschluss aus dem Kontext</translation>
    </message>
    <message>
        <source>cut of an entry</source>
        <translation>Kürzen eines Eintrags</translation>
    </message>
    <message>
        <source>sending in full again</source>
        <translation>Wieder ganz senden</translation>
    </message>
    <message>
        <source>choice of a model</source>
        <translation>Wahl eines Modells</translation>
    </message>
    <message>
        <source>choice of the model {0}</source>
        <translation>Wahl des Modells {0}</translation>
    </message>
    <message>
        <source>thinking level</source>
        <translation>Denkstufe</translation>
    </message>
    <message>
        <source>thinking level {0}</source>
        <translation>Denkstufe {0}</translation>
    </message>
    <message>
        <source>change of a skill</source>
        <translation>Ändern eines Skills</translation>
    </message>
    <message>
        <source>note</source>
        <translation>Notiz</translation>
    </message>
    <message>
        <source>note of {0}</source>
        <translation>Notiz von {0}</translation>
    </message>
    <message>
        <source>label</source>
        <translation>Beschriftung</translation>
    </message>
    <message>
        <source>label “{0}”</source>
        <translation>Beschriftung „{0}“</translation>
    </message>
    <message numerus="yes">
        <source>label of %Ln entries</source>
        <translation>
            <numerusform>Beschriftung von %Ln Eintrag</numerusform>
            <numerusform>Beschriftung von %Ln Einträgen</numerusform>
        </translation>
    </message>
    <message>
        <source>removal of a label</source>
        <translation>Entfernen einer Beschriftung</translation>
    </message>
    <message>
        <source>removal of the label “{0}”</source>
        <translation>Entfernen der Beschriftung „{0}“</translation>
    </message>
    <message numerus="yes">
        <source>removal of %Ln labels</source>
        <translation>
            <numerusform>Entfernen von %Ln Beschriftung</numerusform>
            <numerusform>Entfernen von %Ln Beschriftungen</numerusform>
        </translation>
    </message>
    <message>
        <source>pin</source>
        <translation>Anheften</translation>
    </message>
    <message>
        <source>pin of “{0}”</source>
        <translation>Anheften von „{0}“</translation>
    </message>
    <message numerus="yes">
        <source>%Ln pins</source>
        <translation>
            <numerusform>Anheften von %Ln Eintrag</numerusform>
            <numerusform>Anheften von %Ln Einträgen</numerusform>
        </translation>
    </message>
    <message>
        <source>removal of a pin</source>
        <translation>Lösen</translation>
    </message>
    <message>
        <source>removal of the pin of “{0}”</source>
        <translation>Lösen von „{0}“</translation>
    </message>
    <message numerus="yes">
        <source>removal of %Ln pins</source>
        <translation>
            <numerusform>Lösen von %Ln Eintrag</numerusform>
            <numerusform>Lösen von %Ln Einträgen</numerusform>
        </translation>
    </message>
    <message>
        <source>deletion of a branch</source>
        <translation>Löschen eines Zweigs</translation>
    </message>
    <message>
        <source>deletion of the branch “{0}”</source>
        <translation>Löschen des Zweigs „{0}“</translation>
    </message>
    <message>
        <source>restoring a branch</source>
        <translation>Wiederherstellen eines Zweigs</translation>
    </message>
    <message>
        <source>restoring the branch “{0}”</source>
        <translation>Wiederherstellen des Zweigs „{0}“</translation>
    </message>
    <message>
        <source>fork</source>
        <translation>Abzweigung</translation>
    </message>
    <message>
        <source>fork of “{0}”</source>
        <translation>Abzweigung von „{0}“</translation>
    </message>
    <message>
        <source>renaming</source>
        <translation>Umbenennen</translation>
    </message>
    <message>
        <source>renaming to “{0}”</source>
        <translation>Umbenennen in „{0}“</translation>
    </message>
    <message>
        <source>suggested title</source>
        <translation>vorgeschlagener Titel</translation>
    </message>
    <message>
        <source>suggested title “{0}”</source>
        <translation>vorgeschlagener Titel „{0}“</translation>
    </message>
    <message numerus="yes">
        <source>%Ln suggested titles</source>
        <translation>
            <numerusform>%Ln vorgeschlagener Titel</numerusform>
            <numerusform>%Ln vorgeschlagene Titel</numerusform>
        </translation>
    </message>
    <message>
        <source>tag</source>
        <translation>Schlagwort</translation>
    </message>
    <message>
        <source>tag “{0}”</source>
        <translation>Schlagwort „{0}“</translation>
    </message>
    <message>
        <source>removal of a tag</source>
        <translation>Entfernen eines Schlagworts</translation>
    </message>
    <message>
        <source>removal of the tag “{0}”</source>
        <translation>Entfernen des Schlagworts „{0}“</translation>
    </message>
    <message>
        <source>star</source>
        <translation>Stern</translation>
    </message>
    <message>
        <source>star of “{0}”</source>
        <translation>Stern von „{0}“</translation>
    </message>
    <message numerus="yes">
        <source>%Ln stars</source>
        <translation>
            <numerusform>%Ln Stern</numerusform>
            <numerusform>%Ln Sterne</numerusform>
        </translation>
    </message>
    <message>
        <source>removal of a star</source>
        <translation>Entfernen eines Sterns</translation>
    </message>
    <message>
        <source>removal of the star of “{0}”</source>
        <translation>Entfernen des Sterns von „{0}“</translation>
    </message>
    <message numerus="yes">
        <source>removing %Ln stars</source>
        <translation>
            <numerusform>Entfernen von %Ln Stern</numerusform>
            <numerusform>Entfernen von %Ln Sternen</numerusform>
        </translation>
    </message>
    <message>
        <source>archiving</source>
        <translation>Archivieren</translation>
    </message>
    <message>
        <source>archiving of “{0}”</source>
        <translation>Archivieren von „{0}“</translation>
    </message>
    <message numerus="yes">
        <source>archiving of %Ln sessions</source>
        <translation>
            <numerusform>Archivieren von %Ln Sitzung</numerusform>
            <numerusform>Archivieren von %Ln Sitzungen</numerusform>
        </translation>
    </message>
    <message>
        <source>unarchiving</source>
        <translation>Zurückholen aus dem Archiv</translation>
    </message>
    <message>
        <source>unarchiving of “{0}”</source>
        <translation>Zurückholen von „{0}“ aus dem Archiv</translation>
    </message>
    <message numerus="yes">
        <source>unarchiving of %Ln sessions</source>
        <translation>
            <numerusform>Zurückholen von %Ln Sitzung aus dem Archiv</numerusform>
            <numerusform>Zurückholen von %Ln Sitzungen aus dem Archiv</numerusform>
        </translation>
    </message>
    <message>
        <source>deletion of a session</source>
        <translation>Löschen einer Sitzung</translation>
    </message>
    <message>
        <source>deletion of “{0}”</source>
        <translation>Löschen von „{0}“</translation>
    </message>
    <message numerus="yes">
        <source>deletion of %Ln sessions</source>
        <translation>
            <numerusform>Löschen von %Ln Sitzung</numerusform>
            <numerusform>Löschen von %Ln Sitzungen</numerusform>
        </translation>
    </message>
    <message>
        <source>restoring a session</source>
        <translation>Wiederherstellen einer Sitzung</translation>
    </message>
    <message>
        <source>restoring “{0}”</source>
        <translation>Wiederherstellen von „{0}“</translation>
    </message>
    <message numerus="yes">
        <source>restoring %Ln sessions</source>
        <translation>
            <numerusform>Wiederherstellen von %Ln Sitzung</numerusform>
            <numerusform>Wiederherstellen von %Ln Sitzungen</numerusform>
        </translation>
    </message>
    <message>
        <source>import</source>
        <translation>Import</translation>
    </message>
    <message>
        <source>import of “{0}”</source>
        <translation>Import von „{0}“</translation>
    </message>
    <message numerus="yes">
        <source>import of %Ln sessions</source>
        <translation>
            <numerusform>Import von %Ln Sitzung</numerusform>
            <numerusform>Import von %Ln Sitzungen</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>StoredSummaryController</name>
    <message>
        <source>Saved as a new summary beside the old one.</source>
        <translation>Als neue Zusammenfassung neben der alten gespeichert.</translation>
    </message>
</context>
<context>
    <name>StreamingReplies</name>
    <message>
        <source>Show branch</source>
        <translation>Zweig zeigen</translation>
    </message>
</context>
<context>
    <name>SummaryChoice</name>
    <message>
        <source>Written summaries</source>
        <translation>Geschriebene Zusammenfassungen</translation>
    </message>
</context>
<context>
    <name>SummaryDialog</name>
    <message>
        <source>Edit summary</source>
        <translation>Zusammenfassung bearbeiten</translation>
    </message>
    <message>
        <source>Save as sibling</source>
        <translation>Als Geschwistereintrag speichern</translation>
    </message>
    <message>
        <source>Summary</source>
        <translation>Zusammenfassung</translation>
    </message>
    <message>
        <source>The old summary stays in the tree, as a sibling.</source>
        <translation>Die alte Zusammenfassung bleibt als Geschwistereintrag im Baum.</translation>
    </message>
    <message>
        <source>The signature is valid only for the original text. The edited summary is sent as plain text.</source>
        <translation>Die Signatur gilt nur für den ursprünglichen Text. Die bearbeitete Zusammenfassung wird als Text gesendet.</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
</context>
<context>
    <name>SummaryEditor</name>
    <message>
        <source>Rendered summary or its source</source>
        <translation>Dargestellte Zusammenfassung oder ihr Quelltext</translation>
    </message>
    <message>
        <source>Preview</source>
        <translation>Vorschau</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>Bearbeiten</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>Unterschied</translation>
    </message>
    <message>
        <source>Rendered summary</source>
        <translation>Dargestellte Zusammenfassung</translation>
    </message>
    <message>
        <source>Summary source</source>
        <translation>Quelltext der Zusammenfassung</translation>
    </message>
    <message>
        <source>This summary is too long to be edited here.</source>
        <translation>Diese Zusammenfassung ist zu lang, um hier bearbeitet zu werden.</translation>
    </message>
</context>
<context>
    <name>SummaryWriter</name>
    <message>
        <source>Cancel writing</source>
        <translation>Schreiben abbrechen</translation>
    </message>
    <message>
        <source>Use the digest instead</source>
        <translation>Stattdessen den Auszug verwenden</translation>
    </message>
    <message>
        <source>Choose a model</source>
        <translation>Modell wählen</translation>
    </message>
    <message>
        <source>Model that writes the summary: {0}</source>
        <translation>Modell, das die Zusammenfassung schreibt: {0}</translation>
    </message>
    <message>
        <source>The cut moved after this summary was written.</source>
        <translation>Der Schnitt wurde nach dem Schreiben dieser Zusammenfassung verschoben.</translation>
    </message>
    <message>
        <source>Press “Write summary” to ask the model.</source>
        <translation>„Zusammenfassung schreiben“ fragt das Modell.</translation>
    </message>
    <message>
        <source>Press “Write summary” to ask the provider, which signs its summary.</source>
        <translation>„Zusammenfassung schreiben“ fragt den Anbieter, der seine Zusammenfassung signiert.</translation>
    </message>
    <message>
        <source>Write again</source>
        <translation>Neu schreiben</translation>
    </message>
    <message>
        <source>Write summary</source>
        <translation>Zusammenfassung schreiben</translation>
    </message>
    <message>
        <source>{0} writes the summary…</source>
        <translation>{0} schreibt die Zusammenfassung …</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Erneut versuchen</translation>
    </message>
</context>
<context>
    <name>TableField</name>
    <message>
        <source>Add a tool</source>
        <translation>Werkzeug hinzufügen</translation>
    </message>
    <message>
        <source>“{0}” is in the table already.</source>
        <translation>„{0}“ steht schon in der Tabelle.</translation>
    </message>
</context>
<context>
    <name>TableRow</name>
    <message>
        <source>Name of a tool, such as Read</source>
        <translation>Name eines Werkzeugs, etwa Read</translation>
    </message>
    <message>
        <source>Tool</source>
        <translation>Werkzeug</translation>
    </message>
    <message>
        <source>Remove this tool</source>
        <translation>Dieses Werkzeug entfernen</translation>
    </message>
    <message>
        <source>the new tool</source>
        <translation>das neue Werkzeug</translation>
    </message>
    <message>
        <source>Results of {0}</source>
        <translation>Ergebnisse von {0}</translation>
    </message>
    <message>
        <source>Remove {0}</source>
        <translation>{0} entfernen</translation>
    </message>
</context>
<context>
    <name>TagPopup</name>
    <message>
        <source>Add tags, separated by commas</source>
        <translation>Schlagwörter hinzufügen, durch Kommas getrennt</translation>
    </message>
    <message>
        <source>Add a tag</source>
        <translation>Schlagwort hinzufügen</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>Schlagwörter</translation>
    </message>
</context>
<context>
    <name>TitleController</name>
    <message>
        <source>Titles are being suggested already.</source>
        <translation>Es werden schon Titel vorgeschlagen.</translation>
    </message>
    <message>
        <source>Every session has a title.</source>
        <translation>Jede Sitzung hat einen Titel.</translation>
    </message>
    <message>
        <source>Suggest titles</source>
        <translation>Titel vorschlagen</translation>
    </message>
    <message numerus="yes">
        <source>Suggest titles for %Ln sessions?</source>
        <translation>
            <numerusform>Titel für %Ln Sitzung vorschlagen lassen?</numerusform>
            <numerusform>Titel für %Ln Sitzungen vorschlagen lassen?</numerusform>
        </translation>
    </message>
    <message>
        <source>The first messages of each session are sent to {0}. Undo brings the titles back.</source>
        <translation>Die ersten Nachrichten jeder Sitzung werden an {0} gesendet. Rückgängig stellt die Titel wieder her.</translation>
    </message>
    <message>
        <source>Suggesting titles with {0}: {1} of {2}</source>
        <translation>{0} schlägt Titel vor: {1} von {2}</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Anhalten</translation>
    </message>
    <message numerus="yes">
        <source>Suggested %Ln titles.</source>
        <translation>
            <numerusform>%Ln Titel vorgeschlagen.</numerusform>
            <numerusform>%Ln Titel vorgeschlagen.</numerusform>
        </translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
</context>
<context>
    <name>Toast</name>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
</context>
<context>
    <name>TopBar</name>
    <message>
        <source>Switch light or dark theme</source>
        <translation>Helles oder dunkles Design</translation>
    </message>
    <message>
        <source>Search or run a command</source>
        <translation>Suchen oder Befehl ausführen</translation>
    </message>
</context>
<context>
    <name>TranscriptColumn</name>
    <message>
        <source>Previous branch</source>
        <translation>Voriger Zweig</translation>
    </message>
    <message>
        <source>Next branch</source>
        <translation>Nächster Zweig</translation>
    </message>
    <message>
        <source>Find in session</source>
        <translation>In der Sitzung suchen</translation>
    </message>
    <message>
        <source>{0} / {1}</source>
        <translation>{0} / {1}</translation>
    </message>
    <message>
        <source>Files of this branch</source>
        <translation>Dateien dieses Zweigs</translation>
    </message>
    <message>
        <source>viewing</source>
        <translation>in Ansicht</translation>
    </message>
    <message>
        <source>deleted</source>
        <translation>gelöscht</translation>
    </message>
    <message>
        <source>Preview · Esc</source>
        <translation>Vorschau · Esc</translation>
    </message>
    <message>
        <source>Transcript</source>
        <translation>Verlauf</translation>
    </message>
    <message>
        <source>Opening…</source>
        <translation>Wird geöffnet …</translation>
    </message>
    <message>
        <source>branch {0} of {1}</source>
        <translation>Zweig {0} von {1}</translation>
    </message>
    <message>
        <source>active</source>
        <translation>aktiv</translation>
    </message>
    <message>
        <source>Select a session in the list to read it.
Press + above the list to start a chat.</source>
        <translation>Wähle eine Sitzung in der Liste, um sie zu lesen.
Drücke + über der Liste, um einen Chat zu beginnen.</translation>
    </message>
    <message>
        <source>Compaction preview · Esc to leave</source>
        <translation>Verdichtungsvorschau · Esc verlässt sie</translation>
    </message>
</context>
<context>
    <name>TranscriptController</name>
    <message numerus="yes">
        <source>Copied %Ln entries.</source>
        <translation>
            <numerusform>%Ln Eintrag kopiert.</numerusform>
            <numerusform>%Ln Einträge kopiert.</numerusform>
        </translation>
    </message>
    <message>
        <source>This image cannot be shown.</source>
        <translation>Dieses Bild lässt sich nicht zeigen.</translation>
    </message>
    <message>
        <source>Copied code block {0} of {1}.</source>
        <translation>Codeblock {0} von {1} kopiert.</translation>
    </message>
    <message>
        <source>This entry has no code to copy, or it is folded.</source>
        <translation>Dieser Eintrag hat keinen Code zum Kopieren, oder er ist eingeklappt.</translation>
    </message>
    <message>
        <source>Save image</source>
        <translation>Bild speichern</translation>
    </message>
    <message>
        <source>Saved in {0}.</source>
        <translation>In {0} gespeichert.</translation>
    </message>
    <message>
        <source>Image copied.</source>
        <translation>Bild kopiert.</translation>
    </message>
    <message>
        <source>No text is selected. Nothing was copied.</source>
        <translation>Kein Text ist ausgewählt. Nichts wurde kopiert.</translation>
    </message>
    <message>
        <source>Copying… {0}</source>
        <translation>Wird kopiert… {0}</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Stopped. The clipboard is unchanged.</source>
        <translation>Angehalten. Die Zwischenablage ist unverändert.</translation>
    </message>
    <message>
        <source>This entry has no text to copy.</source>
        <translation>Dieser Eintrag hat keinen Text zum Kopieren.</translation>
    </message>
    <message>
        <source>Only http, https and mailto links can be opened: {0}</source>
        <translation>Nur Links mit http, https und mailto lassen sich öffnen: {0}</translation>
    </message>
    <message>
        <source>Open in browser</source>
        <translation>Im Browser öffnen</translation>
    </message>
    <message>
        <source>This agent&apos;s session is not in the archive.</source>
        <translation>Die Sitzung dieses Agenten ist nicht im Archiv.</translation>
    </message>
    <message>
        <source>Export session</source>
        <translation>Sitzung exportieren</translation>
    </message>
    <message>
        <source>Export path</source>
        <translation>Pfad exportieren</translation>
    </message>
    <message>
        <source>Exported to {0}.</source>
        <translation>Exportiert nach {0}.</translation>
    </message>
    <message numerus="yes">
        <source>Copied %Ln turns as Markdown.</source>
        <translation>
            <numerusform>%Ln Runde als Markdown kopiert.</numerusform>
            <numerusform>%Ln Runden als Markdown kopiert.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>without %Ln messages of other branches</source>
        <translation>
            <numerusform>ohne %Ln Nachricht anderer Zweige</numerusform>
            <numerusform>ohne %Ln Nachrichten anderer Zweige</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>without %Ln entries in the trash</source>
        <translation>
            <numerusform>ohne %Ln Eintrag im Papierkorb</numerusform>
            <numerusform>ohne %Ln Einträge im Papierkorb</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>with %Ln entries that only Stemmata uses</source>
        <translation>
            <numerusform>mit %Ln Eintrag, den nur Stemmata verwendet</numerusform>
            <numerusform>mit %Ln Einträgen, die nur Stemmata verwendet</numerusform>
        </translation>
    </message>
    <message>
        <source>You</source>
        <translation>Du</translation>
    </message>
    <message>
        <source>Assistant</source>
        <translation>Assistent</translation>
    </message>
    <message>
        <source>Compaction</source>
        <translation>Verdichtung</translation>
    </message>
    <message>
        <source>Branch summary</source>
        <translation>Zweigzusammenfassung</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Notiz</translation>
    </message>
</context>
<context>
    <name>TranscriptCursor</name>
    <message>
        <source>unfolded</source>
        <translation>ausgeklappt</translation>
    </message>
    <message>
        <source>folded</source>
        <translation>eingeklappt</translation>
    </message>
</context>
<context>
    <name>TranscriptCut</name>
    <message>
        <source>⇕ everything above is summarised · {0} · ≈ {1}</source>
        <translation>⇕ alles darüber wird zusammengefasst · {0} · ≈ {1}</translation>
    </message>
    <message>
        <source>⇕ everything below is summarised · {0} · ≈ {1}</source>
        <translation>⇕ alles darunter wird zusammengefasst · {0} · ≈ {1}</translation>
    </message>
    <message numerus="yes">
        <source>%Ln entries</source>
        <translation>
            <numerusform>%Ln Eintrag</numerusform>
            <numerusform>%Ln Einträge</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>TranscriptView</name>
    <message>
        <source>Transcript</source>
        <translation>Verlauf</translation>
    </message>
    <message numerus="yes">
        <source>%Ln entries</source>
        <translation>
            <numerusform>%Ln Eintrag</numerusform>
            <numerusform>%Ln Einträge</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>UpgradeWindow</name>
    <message>
        <source>Stemmata</source>
        <translation>Stemmata</translation>
    </message>
    <message>
        <source>Upgrading the archive</source>
        <translation>Das Archiv wird aktualisiert</translation>
    </message>
    <message>
        <source>An earlier version of Stemmata wrote the archive. The upgrade runs once, and a copy of the old archive is kept.</source>
        <translation>Eine frühere Version von Stemmata schrieb das Archiv. Die Aktualisierung läuft einmal, eine Kopie des alten Archivs bleibt.</translation>
    </message>
    <message>
        <source>Upgrading the archive…</source>
        <translation>Das Archiv wird aktualisiert …</translation>
    </message>
</context>
<context>
    <name>WelcomeView</name>
    <message>
        <source>Open the demo</source>
        <translation>Beispiel öffnen</translation>
    </message>
    <message>
        <source>Connect…</source>
        <translation>Verbinden …</translation>
    </message>
    <message>
        <source>New chat</source>
        <translation>Neuer Chat</translation>
    </message>
    <message>
        <source>Connected to {0}.</source>
        <translation>Mit {0} verbunden.</translation>
    </message>
    <message>
        <source>See your sessions as trees</source>
        <translation>Deine Sitzungen als Bäume</translation>
    </message>
    <message>
        <source>Session files are never changed. Imported sessions are kept even if a tool deletes its files.</source>
        <translation>Sitzungsdateien werden nie geändert. Importierte Sitzungen bleiben, auch wenn ein Werkzeug seine Dateien löscht.</translation>
    </message>
    <message>
        <source>Try the demo</source>
        <translation>Das Beispiel ausprobieren</translation>
    </message>
    <message>
        <source>Use an API key, which is stored in your keyring, or a server on this machine. Browsing, forking, searching and compacting with the digest work without a model.</source>
        <translation>Mit einem API-Schlüssel, der im Schlüsselbund bleibt, oder einem Server auf diesem Rechner. Ansehen, Abzweigen, Suchen und Verdichten mit dem Auszug gehen ohne Modell.</translation>
    </message>
    <message>
        <source>Or drop files anywhere in this window.</source>
        <translation>Oder ziehe Dateien in dieses Fenster.</translation>
    </message>
    <message>
        <source>Choose files…</source>
        <translation>Dateien wählen …</translation>
    </message>
    <message>
        <source>A demo session with branches and a compaction.</source>
        <translation>Eine Beispielsitzung mit Zweigen und einer Verdichtung.</translation>
    </message>
    <message>
        <source>Connect a model</source>
        <translation>Modell verbinden</translation>
    </message>
</context>
<context>
    <name>WindowController</name>
    <message>
        <source>Copied {0}.</source>
        <translation>{0} wurde kopiert.</translation>
    </message>
    <message>
        <source>No browser could be started. The page is {0}.</source>
        <translation>Es ließ sich kein Browser starten. Die Seite ist {0}.</translation>
    </message>
    <message>
        <source>Stemmata is in the menu of your desktop.</source>
        <translation>Stemmata steht im Menü deines Desktops.</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message numerus="yes">
        <source>Copied %Ln links.</source>
        <translation>
            <numerusform>%Ln Link kopiert.</numerusform>
            <numerusform>%Ln Links kopiert.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>WindowHistory</name>
    <message>
        <source>Undo</source>
        <translation>Rückgängig machen</translation>
    </message>
    <message>
        <source>{0} The context now has {1} tokens.</source>
        <translation>{0} Der Kontext hat jetzt {1} Token.</translation>
    </message>
    <message>
        <source>Redo outside this session: {0}?</source>
        <translation>Außerhalb dieser Sitzung wiederholen: {0}?</translation>
    </message>
    <message>
        <source>Undo outside this session: {0}?</source>
        <translation>Außerhalb dieser Sitzung rückgängig machen: {0}?</translation>
    </message>
    <message>
        <source>Redone: {0}.</source>
        <translation>Wiederholt: {0}.</translation>
    </message>
    <message>
        <source>Undone: {0}.</source>
        <translation>Rückgängig gemacht: {0}.</translation>
    </message>
    <message>
        <source>Undo {0}</source>
        <translation>Rückgängig: {0}</translation>
    </message>
    <message>
        <source>Redo {0}</source>
        <translation>Wiederholen: {0}</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>Wiederholen</translation>
    </message>
</context>
<context>
    <name>WorkStrip</name>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
</context>
<context>
    <name>WorkbenchPanel</name>
    <message>
        <source>Compact</source>
        <translation>Verdichten</translation>
    </message>
    <message>
        <source>Prune tool output first</source>
        <translation>Erst Ausgaben auslassen</translation>
    </message>
    <message>
        <source>Continue in a new session</source>
        <translation>In einer neuen Sitzung fortfahren</translation>
    </message>
    <message>
        <source>Focus on… (optional)</source>
        <translation>Schwerpunkt … (freiwillig)</translation>
    </message>
    <message>
        <source>writing the digest…</source>
        <translation>Auszug wird geschrieben …</translation>
    </message>
    <message>
        <source>Provider</source>
        <translation>Anbieter</translation>
    </message>
    <message>
        <source>{0} of {1}</source>
        <translation>{0} von {1}</translation>
    </message>
    <message>
        <source>Compare cuts</source>
        <translation>Schnitte vergleichen</translation>
    </message>
    <message>
        <source>After cut A</source>
        <translation>Nach Schnitt A</translation>
    </message>
    <message>
        <source>After cut B</source>
        <translation>Nach Schnitt B</translation>
    </message>
    <message>
        <source>End comparison</source>
        <translation>Vergleich beenden</translation>
    </message>
    <message>
        <source>writing the digest… {0}</source>
        <translation>Auszug wird geschrieben … {0}</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Digest</source>
        <translation>Auszug</translation>
    </message>
    <message>
        <source>Summary by</source>
        <translation>Zusammenfassung von</translation>
    </message>
    <message>
        <source>Before</source>
        <translation>Vorher</translation>
    </message>
    <message>
        <source>After</source>
        <translation>Nachher</translation>
    </message>
    <message>
        <source>Use this cut</source>
        <translation>Diesen Schnitt verwenden</translation>
    </message>
    <message>
        <source>Summary</source>
        <translation>Zusammenfassung</translation>
    </message>
    <message>
        <source>Cut</source>
        <translation>Schnitt</translation>
    </message>
    <message>
        <source>Pinned</source>
        <translation>Angeheftet</translation>
    </message>
    <message>
        <source>Kept word for word</source>
        <translation>Wörtlich behalten</translation>
    </message>
    <message>
        <source>Summarised</source>
        <translation>Zusammengefasst</translation>
    </message>
    <message>
        <source>Tool output left out</source>
        <translation>Werkzeugausgaben ausgelassen</translation>
    </message>
    <message>
        <source>Skills</source>
        <translation>Skills</translation>
    </message>
    <message>
        <source>System and tools</source>
        <translation>System und Werkzeuge</translation>
    </message>
    <message>
        <source>A</source>
        <translation>A</translation>
    </message>
    <message>
        <source>B</source>
        <translation>B</translation>
    </message>
    <message>
        <source>{0} · in use</source>
        <translation>{0} · verwendet</translation>
    </message>
    <message>
        <source>What matters for the summary</source>
        <translation>Was für die Zusammenfassung wichtig ist</translation>
    </message>
    <message>
        <source>Summarise from here</source>
        <translation>Ab hier zusammenfassen</translation>
    </message>
    <message>
        <source>Summarise</source>
        <translation>Zusammenfassen</translation>
    </message>
    <message>
        <source>No model is connected. The digest works without a model.</source>
        <translation>Kein Modell ist verbunden. Der Auszug braucht keines.</translation>
    </message>
    <message>
        <source>The model’s own server writes and signs the summary, and receives it unchanged.</source>
        <translation>Der Server des Modells schreibt und signiert die Zusammenfassung und bekommt sie unverändert zurück.</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
</context>
<context>
    <name>_SideHead</name>
    <message>
        <source>active</source>
        <translation>aktiv</translation>
    </message>
    <message>
        <source>abandoned</source>
        <translation>verlassen</translation>
    </message>
</context>
</TS>
