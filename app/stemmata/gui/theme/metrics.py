"""Sizes in device-independent pixels at 100 %, which `Theme.px` scales. No other module contains sizes."""

from __future__ import annotations

SPACE = (
    0,
    2,
    4,
    6,
    8,
    10,
    14,
    18,
    26,
)  # SPACE[1] is the smallest gap, SPACE[4] the usual one, SPACE[8] a page margin

RADIUS_BAR = 4
RADIUS_CONTROL = 6
RADIUS_CARD = 8
RADIUS_PANEL = 10

BORDER = 1
FOCUS_BORDER = 2

NAVIGATOR_ROW = 30
SESSION_ROW = 48
TRIANGLE_SPACE = 28  # before the title of a session, with the triangle of one that has others below it
MENU_ROW = 30
HEADER = 38
STATUS_BAR = 26
CONTROL = 28
ICON = 16
SCROLL_BAR = 10
BAR = 14  # stacked bars of the context column
THIN_BAR = 4
CHART = 124  # height of the chart of the context over time, with labels
DIAMOND = 9  # a compaction in the chart
FADED = 0.3  # opacity of a band while another band is highlighted

LANE = 16  # distance between two lanes of the branch graph
LANE_DOT = 9
LANE_LINE = 2
VIEWED_LINE = 3  # line of the path that the transcript shows
QUOTE = 6  # step of SPACE by which a quote is indented
QUOTE_BAR = 2  # bar at the side of a quote
READING_BAR = 2  # bar of the row that is being read in the transcript

MARGIN_STRIP = 3  # fate marks and the coloured bars beside cards
CARD_GAP = 14
CARD_INDENT = 16  # pixels from the coloured bar to the text
TOOL_ROW = 26
READING_WIDTH = 860  # maximum width of transcript text

FONT_UI = 13
FONT_SMALL = 12
FONT_FIELD = 15  # a large text field, such as in the palette
FONT_TITLE = 13
FONT_HEADING = 21
FONT_CODE = 12
FONT_CODE_SMALL = 11

TOP_BAR = 34
SEARCH_FIELD = 380
PALETTE = 720
PALETTE_HEIGHT = 520
WELCOME = 760
FIGURES = 82  # minimum width of a column of figures
DIALOG = (680, 520)
CONNECT = 380  # least height of the dialog that connects a model, so that most of its forms have the same
CONNECTIONS = 200  # width of the list of connections
ABOUT = 440  # width of the dialog with the version
POPUP = 320
TAGS = 240  # height of the popup for tags
SETTING = 190  # width of a setting's control
FORM_LINES = 66  # height of a form field with three lines
SECTIONS = 150  # width of the list of settings sections
TOAST = 420
TOAST_ROOM = 220  # width of the columns beside each other that a toast needs at least
SWATCH = 8
FILL_BAR = 44  # width of the context bar in the session list
COLUMN_NAMES = ("sessions", "branches", "transcript", "context")  # the columns of the window, from the left
COLUMNS = (288, 322, 524, 306)  # widths in a window of width 1440
COLUMN_MINIMUMS = (168, 192, 300, 292)
COLUMN_STRETCH = (1, 2, 4, 1)  # shares of the additional width of a wider window
RESULTS_COLUMNS = (290, 470, 680, 312)  # widths of the columns while search results replace the branches
RESULTS_MINIMUM = 300  # width of the results
READABLE = 440  # a transcript narrower than this is hard to read
READABLE_BRANCHES = 260  # narrower branches are hard to read
READABLE_RESULTS = 340  # narrower search results are hard to read
WORKBENCH = 470
WINDOW = (1440, 900)
WINDOW_MINIMUM = (800, 520)
HEADER_LINE = 20  # first line of a card
SMALL_LINE = 20  # a folded thought, a note, a row of links
LINE_PERCENT = 148  # line height of prose, in percent of the text size
CODE_LINE_PERCENT = 155
LIST_INDENT = 20
PICTURE = (560, 420)  # maximum size of an image in a card
DIMMED = 0.55  # opacity of entries that will be summarised
VEIL = 0.85  # opacity of the veil over a window while files are dragged over it
SHADOW = 0.22  # opacity of the darkest part of a shadow, which is black
SHADOW_DARK = 0.6  # … in a dark theme, where less of it shows
MOST_DIFF_LINES = 400
CHARACTER = 0.5  # mean width of a character, as a share of the text size
WHEEL_STEP = 72  # pixels scrolled by one notch of a wheel
ARROW_STEP = 40
PAGE_OVERLAP = 40  # the part of a page that stays visible when the next page is shown
JUMP_BUTTON = 30
MARKED = 0.28  # opacity of the background behind words that differ
COMPARE_ROW = 160  # estimated height of a turn of a comparison before it is laid out
CUT_SPACE = 20  # room for the pill of the cut line above the first kept card
PILL = 20
CUT_PLACE = 0.6  # position of the cut when a preview opens, as a share of the height
IMAGE_PLACE = 0.9  # maximum share of the window for an image dialog
NARROW_FIND_BAR = 620  # a narrower find bar shows the matches on other branches as a number
FOUND_PLACE = 0.3  # position of a match after a jump to it, as a share of the height
SUMMARY = 120  # minimum height of the summary in the workbench
REVEALED = 8  # characters shown beside a match that is scrolled to sideways
EDGE = 32  # distance from an edge within which dragging scrolls
