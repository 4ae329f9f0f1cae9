"""Sizes in device-independent pixels at 100 %; `Theme.px` scales them. No other module writes a size."""

from __future__ import annotations

SPACE = (0, 2, 4, 6, 8, 10, 14, 18, 26)  # by step: SPACE[1] is a hair, SPACE[4] the usual gap, SPACE[8] a page margin

RADIUS_BAR = 4
RADIUS_CONTROL = 6
RADIUS_CARD = 8
RADIUS_PANEL = 10

BORDER = 1
FOCUS_BORDER = 2

NAVIGATOR_ROW = 30
SESSION_ROW = 48
MENU_ROW = 30
HEADER = 38
STATUS_BAR = 26
CONTROL = 28
ICON = 16
SCROLL_BAR = 10
BAR = 14  # stacked bars of the context column
THIN_BAR = 4
CHART = 124  # the context over time, with its labels
DIAMOND = 9  # a compaction in it
FADED = 0.3  # of a band's colour while another one stands out

LANE = 16  # distance of two lanes of the branch graph
LANE_DOT = 9
LANE_LINE = 2

MARGIN_STRIP = 3  # fate marks and the coloured bars beside cards
CARD_GAP = 14
CARD_INDENT = 16  # from the coloured bar to the text
TOOL_ROW = 26
READING_WIDTH = 860  # transcript lines get no longer than this

FONT_UI = 13
FONT_SMALL = 12
FONT_FIELD = 15  # a field that stands by itself
FONT_TITLE = 13
FONT_HEADING = 21
FONT_CODE = 12
FONT_CODE_SMALL = 11

TOP_BAR = 34
SEARCH_FIELD = 380
PALETTE = 720
PALETTE_HEIGHT = 520
WELCOME = 760
FIGURES = 82  # a column of figures
DIALOG = (680, 520)
POPUP = 320
TAGS = 240  # height of their popup
SETTING = 190  # the control of a setting
FORM_LINES = 66  # a field of a form for three lines
SECTIONS = 150  # their list
TOAST = 420
SWATCH = 8
FILL_BAR = 44  # context fill of a row of the session list
COLUMN_NAMES = ("sessions", "branches", "transcript", "context")  # the columns of the window, from the left
COLUMNS = (248, 330, 550, 312)  # widths in a window 1440 wide
COLUMN_MINIMUMS = (168, 192, 300, 292)
COLUMN_STRETCH = (1, 2, 4, 1)  # how a wider window is shared out
READABLE = 440  # a transcript narrower than this is hard to read
READABLE_BRANCHES = 260  # and so are branches
WORKBENCH = 470
WINDOW = (1440, 900)
WINDOW_MINIMUM = (800, 520)
HEADER_LINE = 20  # first line of a card
SMALL_LINE = 20  # a folded thought, a note, a row of links
LINE_PERCENT = 148  # distance of two lines of prose, in percent of the text size
CODE_LINE_PERCENT = 155
LIST_INDENT = 20
PICTURE = (560, 420)  # an image in a card gets no larger than this
DIMMED = 0.55  # opacity of what will be summarised
MOST_DIFF_LINES = 400
CHARACTER = 0.5  # mean width of a character, in text sizes
WHEEL_STEP = 72  # one notch of a wheel
ARROW_STEP = 40
PAGE_OVERLAP = 40  # what stays visible of a page when the next one is shown
JUMP_BUTTON = 30
MARKED = 0.28  # opacity of the ground behind words that differ
COMPARE_ROW = 160  # a turn of a comparison that nobody has looked at
CUT_SPACE = 20  # room for the pill of the cut line above the first kept card
PILL = 20
CUT_PLACE = 0.6  # how far down the cut is shown when a preview opens
IMAGE_PLACE = 0.9  # how much of the window an image by itself takes at most
FOUND_PLACE = 0.3  # how far down a match is shown that was gone to
SUMMARY = 120  # least height of the summary in the workbench
EDGE = 32  # dragging this near to an edge scrolls
