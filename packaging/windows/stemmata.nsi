; Installer for Windows. After `python -m PyInstaller packaging/frozen/stemmata.spec` on Windows: makensis packaging\windows\stemmata.nsi
; Not tried yet: see docs/packaging.md.
Unicode true
Name "Stemmata"
OutFile "..\..\dist\stemmata-setup.exe"
RequestExecutionLevel user
InstallDir "$LOCALAPPDATA\Programs\Stemmata"
SetCompressor /SOLID lzma

Page directory
Page instfiles
UninstPage uninstConfirm
UninstPage instfiles

Section "Stemmata"
  RMDir /r "$INSTDIR"
  SetOutPath "$INSTDIR"
  File /r "..\..\dist\stemmata\*.*"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  CreateShortCut "$SMPROGRAMS\Stemmata.lnk" "$INSTDIR\stemmata.exe"
  WriteRegStr HKCU "Software\Classes\stemmata" "" "URL:Stemmata"
  WriteRegStr HKCU "Software\Classes\stemmata" "URL Protocol" ""
  WriteRegStr HKCU "Software\Classes\stemmata\shell\open\command" "" '"$INSTDIR\stemmata.exe" open "%1"'
  WriteRegStr HKCU "Software\Microsoft\Windows\CurrentVersion\Uninstall\Stemmata" "DisplayName" "Stemmata"
  WriteRegStr HKCU "Software\Microsoft\Windows\CurrentVersion\Uninstall\Stemmata" "UninstallString" '"$INSTDIR\uninstall.exe"'
SectionEnd

; The archive in %LOCALAPPDATA%\stemmata is kept.
Section "Uninstall"
  Delete "$SMPROGRAMS\Stemmata.lnk"
  DeleteRegKey HKCU "Software\Classes\stemmata"
  DeleteRegKey HKCU "Software\Microsoft\Windows\CurrentVersion\Uninstall\Stemmata"
  RMDir /r "$INSTDIR"
SectionEnd
