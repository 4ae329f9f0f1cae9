from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stemmata.domain.tool_calls.checks import core_command, is_check, only_reads, verdict

CHECKS = """\
pytest -q
python -m pytest tests/unit
python3 -m unittest
python manage.py test
uv run --frozen pytest
poetry run mypy src
cd web && npm run check 2>&1 | tail -20
npm test
npx -y vitest run
yarn lint:fix
pnpm exec eslint .
bun test
deno test
cargo clippy --all-targets
cargo build
go vet ./...
go test ./... -run X
golangci-lint run
make
make -j8 check
mvn -q verify
./gradlew app:assembleDebug
./gradlew assembleDebug
dotnet test
mix test
bundle exec rspec
rake spec
bazel test //...
swift build
zig build
flutter test
task ci
mise exec -- go test
CI=1 timeout 300 tox -e py311
node --test
ruff check .
tsc --noEmit
ctest --output-on-failure
terraform fmt; shellcheck run.sh
xvfb-run pytest\
""".splitlines()

OTHERS = """\

ls -la
git commit -m "add tests"
cat test.py
npm install
npm run dev
cargo run
python train.py
python tests/data/make.py
go run .
echo pytest
rm -rf build
make install
docker ps
grep -rn test src
uv run
sudo
timeout 5\
""".splitlines()


@pytest.mark.parametrize("command", CHECKS)
def test_commands_that_are_checks(command: str) -> None:
    assert is_check(command)


@pytest.mark.parametrize("command", OTHERS)
def test_commands_that_are_no_checks(command: str) -> None:
    assert not is_check(command)


@pytest.mark.parametrize(
    "command",
    [
        "ls",
        "cd src && grep -n 'a|b;c' x.py | head -20",
        'rg "foo > bar" -l; wc -l a',
        "git status && git diff HEAD~1",
        "sed -n 1,20p a.py",
        "find . -name '*.py' 2>/dev/null | sort",
        "# where are we\npwd",
        "cat a 2>&1",
        "",
    ],
)
def test_commands_that_only_read(command: str) -> None:
    assert only_reads(command)


@pytest.mark.parametrize(
    "command",
    [
        "sed -i s/a/b/ a.py",
        "echo x > a",
        "cat a >> b",
        "git commit -m x",
        "git",
        "find . -delete",
        "find . -exec rm {} +",
        "pytest",
        "mkdir a",
        "ls" + " a" * 3000,
    ],
)
def test_commands_that_change_files(command: str) -> None:
    assert not only_reads(command)


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("cd /x && npm test 2>&1 | tail -20", "npm test"),
        ("cd /x; make", "make"),
        ("git add a b && git commit -m x", "git commit -m x"),
        ("cat a | grep 'x|y' | wc -l", "cat a | grep 'x|y' | wc -l"),
        ("make 2>&1", "make"),
        ("a | sort", "a | sort"),
    ],
)
def test_core_commands(command: str, shown: str) -> None:
    assert core_command(command) == shown


def test_a_hostile_command_takes_no_time() -> None:
    pipes = "x " + "| head  " * 500 + ";"
    assert core_command(pipes) == pipes
    assert only_reads(pipes) is False


@given(st.text(alphabet="ab &|;'\"\\>\n=-$()", max_size=60))
def test_any_text_can_be_classified(text: str) -> None:
    assert is_check(text) in (True, False)
    assert only_reads(text) in (True, False)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("===== 3 failed, 38 passed, 2 skipped in 1.20s =====", (38, 3)),
        ("38 passed in 0.5s", (38, 0)),
        ("Tests:       1 failed, 41 passed, 42 total", (41, 1)),
        (" Tests  4 passed (4)", (4, 0)),
        ("test result: ok. 5 passed; 0 failed; 1 ignored\n\ntest result: ok. 2 passed; 0 failed;", (7, 0)),
        ("  12 passing (8ms)\n  2 failing", (12, 2)),
        ("3 failed attempts to log in", None),
        ("", None),
    ],
)
def test_runs_of_tests_are_summed_up(text: str, expected: tuple[int, int] | None) -> None:
    assert verdict(f"noise\n{text}\n") == expected
