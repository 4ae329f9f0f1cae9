; Installer for Windows. After `python -m PyInstaller packaging/frozen/stemmata.spec` on Windows: makensis packaging\windows\stemmata.nsi
; docs/packaging.md says what was tried.
Unicode true
Name "Stemmata"
OutFile "..\..\dist\stemmata-setup.exe"
RequestExecutionLevel user
InstallDir "$LOCALAPPDATA\Programs\Stemmata"
InstallDirRegKey HKCU "Software\Microsoft\Windows\CurrentVersion\Uninstall\Stemmata" "InstallLocation"
SetCompressor /SOLID lzma

Page directory
Page instfiles
UninstPage uninstConfirm
UninstPage instfiles

; The folder may be one that the user chose and that holds other files, so only the program's own are removed.
!macro RemoveProgram
  Delete "$INSTDIR\stemmata.exe"
  IfErrors 0 +3
    MessageBox MB_OK|MB_ICONSTOP "Stemmata is running. Close its window and start this again. Nothing was changed." /SD IDOK
    Abort
  RMDir /r "$INSTDIR\_internal"
!macroend

Section "Stemmata"
  ClearErrors
  IfFileExists "$INSTDIR\stemmata.exe" 0 fresh
    !insertmacro RemoveProgram
  fresh:
  SetOutPath "$INSTDIR"
  File /r "..\..\dist\stemmata\*.*"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  CreateShortCut "$SMPROGRAMS\Stemmata.lnk" "$INSTDIR\stemmata.exe"
  WriteRegStr HKCU "Software\Classes\stemmata" "" "URL:Stemmata"
  WriteRegStr HKCU "Software\Classes\stemmata" "URL Protocol" ""
  WriteRegStr HKCU "Software\Classes\stemmata\shell\open\command" "" '"$INSTDIR\stemmata.exe" open "%1"'
  WriteRegStr HKCU "Software\Microsoft\Windows\CurrentVersion\Uninstall\Stemmata" "DisplayName" "Stemmata"
  WriteRegStr HKCU "Software\Microsoft\Windows\CurrentVersion\Uninstall\Stemmata" "InstallLocation" "$INSTDIR"
  WriteRegStr HKCU "Software\Microsoft\Windows\CurrentVersion\Uninstall\Stemmata" "UninstallString" '"$INSTDIR\uninstall.exe"'
SectionEnd

; The archive in %LOCALAPPDATA%\stemmata is kept.
Section "Uninstall"
  ClearErrors
  !insertmacro RemoveProgram
  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR"
  Delete "$SMPROGRAMS\Stemmata.lnk"
  DeleteRegKey HKCU "Software\Classes\stemmata"
  DeleteRegKey HKCU "Software\Microsoft\Windows\CurrentVersion\Uninstall\Stemmata"
SectionEnd
