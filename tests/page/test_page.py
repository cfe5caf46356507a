"""The page in a real browser: what it shows is what the log says."""

from pathlib import Path

import pytest
from playwright.async_api import FilePayload, expect

from holdfast import Scripted, Text, Thinking
from tests.agent.troupe import PlainTool, calling, scripted
from tests.page.browsing import CHROMIUM, PacedModel, say, until_shown, visiting, what_hinders

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="chromium is not installed")

REPLY = """## A plan

1. Read `tides.txt`
2. **Sail**

| day | tide |
|---|--:|
| Fri | 14:10 |

```python
print('ahoy')
```
"""
EVIL = (
    "[a](javascript:alert(3)) ![b](https://evil.example/x.png) [c](data:text/html,x) $\\href{javascript:alert(4)}{d}$"
    " <img src=x onerror=alert(2)>\n\n<script>alert(1)</script> <svg/onload=alert(5)>"
)


async def test_a_link_lets_in_once_and_leaves_the_address(tmp_path: Path) -> None:
    """
    The secret of the link is used and removed from the address; the browser stays logged in, and the link is used up.
    """
    async with visiting(tmp_path, scripted()) as visitor:
        link = visitor.link()
        page = await visitor.page(link)
        await until_shown(page, "What shall we work on?")

        assert "login" not in page.url
        await page.reload()
        await until_shown(page, "What shall we work on?")
        other = await visitor.page(link)
        await until_shown(other, "This link was used already")
        assert visitor.problems == ["Failed to load resource: the server responded with a status of 401 (Unauthorized)"]


async def test_a_turn_is_shown_as_it_happens_and_the_same_after_a_reload(tmp_path: Path) -> None:
    """
    Words, a tool with its result, and Markdown as elements.
    """
    look = PlainTool("look")
    script = (calling(("look", '{"text": "tides.txt"}')), Scripted(parts=(Thinking(text="Hm."), Text(text=REPLY))))
    async with visiting(tmp_path, scripted(*script), tools=(look,)) as visitor:
        page = await visitor.page()
        await say(page, "Make a plan.")
        await until_shown(page, "Sail")
        await expect(page.locator("table td").last).to_have_text("14:10")
        await expect(page.locator(".turn-end")).to_have_count(1)
        before = await page.locator(".column").inner_text()
        await page.reload()
        await until_shown(page, "Sail")

        assert before == await page.locator(".column").inner_text()
        await page.locator(".activity > .line").click()
        await page.locator(".tool > .line").click()
        await expect(page.locator(".tool .detail").last).to_have_text("did tides.txt")
        assert [] == visitor.problems


async def test_a_reload_in_the_middle_of_a_reply_shows_what_was_said_and_what_comes(tmp_path: Path) -> None:
    """
    The draft is there again, and the rest streams into it; the end has every word once.
    """
    words = " ".join(f"word{number}" for number in range(60))
    model = PacedModel(words, pieces=8)
    async with visiting(tmp_path, model) as visitor:
        page = await visitor.page()
        await say(page, "Tell me.")
        await until_shown(page, "word10")
        await page.reload()
        await until_shown(page, "word10")
        other = await visitor.page(page.url.replace("/#", "/?again#"))
        model.may_go_on.set()
        await expect(page.locator(".message.agent")).to_have_text(words)
        assert "Log in" == await other.locator("h1").inner_text()


async def test_a_reply_keeps_its_elements_and_the_selection_when_it_ends(tmp_path: Path) -> None:
    """
    The same element shows a reply while it streams and when it is in the log.
    """
    words = "First paragraph of the answer.\n\nSecond paragraph, which goes on for a while."
    model = PacedModel(words, pieces=2)
    async with visiting(tmp_path, model) as visitor:
        page = await visitor.page()
        await say(page, "Tell me.")
        await until_shown(page, "First paragraph")
        await page.evaluate(
            """() => {
                const paragraph = document.querySelector('.message.agent p');
                paragraph.dataset.marked = 'yes';
                getSelection().selectAllChildren(paragraph);
            }"""
        )
        model.may_go_on.set()
        await expect(page.locator(".turn-end")).to_have_count(1)

        assert "yes" == await page.locator(".message.agent p").first.get_attribute("data-marked")
        assert "First paragraph of the answer." == (await page.evaluate("getSelection().toString()")).strip()


async def test_two_pages_show_one_conversation(tmp_path: Path) -> None:
    """
    What is said in one is seen in the other, also a session that is new.
    """
    async with visiting(tmp_path, scripted("Hello.", "Again.")) as visitor:
        one, two = await visitor.page(), await visitor.page()
        await say(one, "Good morning")
        await two.locator("a.session", has_text="Good morning").click()
        await until_shown(two, "Hello.")
        await say(two, "And again")
        await until_shown(one, "Again.")

        assert [] == visitor.problems


async def test_nothing_that_is_said_runs_or_loads(tmp_path: Path) -> None:
    """
    Scripts, handlers and links of other kinds are text; no request leaves for another host.
    """
    async with visiting(tmp_path, scripted(EVIL)) as visitor:
        page = await visitor.page()
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.on("dialog", lambda dialog: visitor.problems.append(dialog.message))
        await say(page, EVIL)
        await expect(page.locator(".turn-end")).to_have_count(1)

        assert 0 == await page.locator(".column script, .column img, .column iframe, .column svg[onload]").count()
        hrefs = await page.locator(".column a").evaluate_all("links => links.map(link => link.getAttribute('href'))")
        assert ["https://evil.example/x.png"] == hrefs
        assert [] == [url for url in asked if not url.startswith(visitor.url)]
        assert [] == visitor.problems


async def test_a_list_of_tasks_has_boxes_beside_their_words(tmp_path: Path) -> None:
    """
    What marks a task in Markdown becomes its box, in lists with and without space between the items.
    """
    async with visiting(tmp_path, scripted("- [ ] Paint\n- [x] Sail\n\n* * *\n\n1. [x] Rest\n\n2. [ ] Row")) as visitor:
        page = await visitor.page()
        await say(page, "What is to be done?")
        await expect(page.locator(".turn-end")).to_have_count(1)
        items = page.locator(".markdown li.task")

        assert ["Paint", "Sail", "Rest", "Row"] == [words.strip() for words in await items.all_inner_texts()]
        boxes = await items.locator("input").evaluate_all("boxes => boxes.map(box => box.checked)")
        assert [False, True, True, False] == boxes


async def test_a_long_call_leaves_the_name_of_its_tool_on_one_line(tmp_path: Path) -> None:
    """
    On a phone too, where what the call is about takes the room that is left.
    """
    write = PlainTool("write")
    script = scripted(calling(("write", f'{{"text": "{"y" * 300}"}}')), "Done.")
    async with visiting(tmp_path, script, tools=(write,)) as visitor:
        page = await visitor.page(width=390)
        await say(page, "Write it.")
        await expect(page.locator(".turn-end")).to_have_count(1)
        await page.locator(".activity > button").click()
        box = await page.locator(".tool .chip").bounding_box()

        assert box is not None
        assert box["width"] > box["height"]


async def test_each_paragraph_has_the_direction_of_its_words(tmp_path: Path) -> None:
    """
    Hebrew stands on the right in a reply that begins in English.
    """
    async with visiting(tmp_path, scripted("Hello.\n\n\u05e9\u05dc\u05d5\u05dd")) as visitor:
        page = await visitor.page()
        await say(page, "Hi")
        await expect(page.locator(".turn-end")).to_have_count(1)
        gaps = await page.locator(".markdown p").evaluate_all(
            """paragraphs => paragraphs.map((each) => {
                const words = document.createRange();
                words.selectNodeContents(each);
                return words.getBoundingClientRect().left - each.getBoundingClientRect().left;
            })"""
        )

        assert [True, False] == [gap < 1 for gap in gaps]


async def test_a_question_is_answered_on_the_page(tmp_path: Path) -> None:
    """
    The call and what it would do are shown; it runs once it is allowed.
    """
    write = PlainTool("write", reads_only=False)
    async with visiting(tmp_path, scripted(calling(("write", '{"text": "boat"}')), "Done."), tools=(write,)) as visitor:
        page = await visitor.page()
        await say(page, "Write it.")
        await until_shown(page, "Allow write?")
        assert [] == write.ran
        await page.get_by_role("button", name="Allow once").click()
        await until_shown(page, "Done.")

        assert ["boat"] == write.ran
        await expect(page.locator(".question")).to_have_count(0)


async def test_enter_that_ends_composing_does_not_send(tmp_path: Path) -> None:
    """
    Safari tells the key that ended composing with the code 229.
    """
    async with visiting(tmp_path, scripted()) as visitor:
        page = await visitor.page()
        await page.get_by_label("Message", exact=True).fill("にほん")
        await page.locator("textarea").dispatch_event("keydown", {"key": "Enter", "keyCode": 229, "bubbles": True})

        assert "にほん" == await page.locator("textarea").input_value()


async def test_what_is_typed_and_not_sent_is_there_after_a_reload(tmp_path: Path) -> None:
    """
    An unsent message belongs to its session and stays in the browser.
    """
    async with visiting(tmp_path, scripted("Hello.")) as visitor:
        page = await visitor.page()
        await say(page, "Hi")
        await until_shown(page, "Hello.")
        await page.get_by_label("Message", exact=True).fill("half a thought")
        await page.wait_for_timeout(600)
        await page.reload()

        await expect(page.locator("textarea")).to_have_value("half a thought")


async def test_the_page_on_a_phone(tmp_path: Path) -> None:
    """
    Nothing is wider than the screen, and what one touches is large enough.
    """
    async with visiting(tmp_path, scripted(REPLY)) as visitor:
        page = await visitor.page(width=390, height=780)
        await say(page, "Make a plan, and use a word as long as " + "x" * 120)
        await until_shown(page, "Sail")

        assert 390 == await page.evaluate("document.documentElement.scrollWidth")
        await page.get_by_label("Open the list of conversations").click()
        await page.locator("a.session").first.wait_for(state="visible")


async def test_the_page_opens_without_a_gateway(tmp_path: Path) -> None:
    """
    The built files are kept by the browser; what is typed then is kept too, and the page says that nobody answers.
    """
    async with visiting(tmp_path, scripted("Hello.")) as visitor:
        page = await visitor.page()
        await until_shown(page, "What shall we work on?")
        await page.evaluate("navigator.serviceWorker.ready")
        await page.reload()
        await until_shown(page, "What shall we work on?")
        await page.context.set_offline(True)
        await page.reload()
        await until_shown(page, "What shall we work on?")
        await say(page, "Said without a connection")
        await until_shown(page, "not sent yet")
        await page.context.set_offline(False)
        await until_shown(page, "Hello.")
        await expect(page.locator(".message.user")).to_have_count(1)


async def test_a_lost_connection_comes_back_and_nothing_is_missing(tmp_path: Path) -> None:
    """
    The socket breaks in the middle of a reply; the page attaches again, and shows each word once.
    """
    words = " ".join(f"word{number}" for number in range(60))
    model = PacedModel(words, pieces=8)
    async with visiting(tmp_path, model) as visitor:
        page = await visitor.page()
        await say(page, "Tell me.")
        await until_shown(page, "word10")
        await page.evaluate("document.querySelector('.message.agent').dataset.marked = 'yes'")
        visitor.line.cut()
        model.may_go_on.set()
        await expect(page.locator(".message.agent")).to_have_text(words)
        await until_shown(page, "nothing lost")

        assert "yes" == await page.locator(".message.agent").get_attribute("data-marked")


@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_nobody_is_hindered(tmp_path: Path, theme: str) -> None:
    """
    Names, contrast and order are good for everybody, in both themes: the thread with a question, and each sheet.
    """
    write = PlainTool("write", reads_only=False)
    script = (REPLY, calling(("write", '{"text": "boat"}')))
    async with visiting(tmp_path, scripted(*script), tools=(write,)) as visitor:
        page = await visitor.page(color_scheme=theme)
        await until_shown(page, "What shall we work on?")
        found = await what_hinders(page)
        await say(page, "Make a plan.")
        await expect(page.locator(".turn-end")).to_have_count(1)
        await say(page, "Write it.")
        await until_shown(page, "Allow write?")
        await page.locator(".activity > .line").last.click()
        found += await what_hinders(page)
        for key in ("k", "/"):
            await page.keyboard.press(f"Control+{key}")
            await page.locator("dialog").wait_for()
            found += await what_hinders(page)
            await page.keyboard.press("Escape")

        assert [] == found


async def test_keys_alone_reach_everything(tmp_path: Path) -> None:
    """
    Palette, find and a new chat have keys; Tab goes through what there is, and what has the focus shows it.
    """
    async with visiting(tmp_path, scripted("The harbour is closed.")) as visitor:
        page = await visitor.page()
        await say(page, "Is the harbour open?")
        await until_shown(page, "is closed")
        await page.locator("a.session", has_text="Is the harbour").wait_for()
        await page.keyboard.press("Control+f")
        await expect(page.locator(".find input")).to_be_focused()
        await page.keyboard.type("harbour")
        await until_shown(page, "1 of 2")
        await page.keyboard.press("Escape")
        await page.keyboard.press("Control+Shift+O")
        await until_shown(page, "What shall we work on?")
        await page.keyboard.press("Control+k")
        await expect(page.locator("dialog input")).to_be_focused()
        await page.keyboard.type("is the harb")
        await page.get_by_role("option", name="Is the harbour").wait_for()
        await page.keyboard.press("Enter")
        await until_shown(page, "is closed")
        await page.keyboard.press("Tab")

        assert await page.evaluate("document.activeElement.matches(':focus-visible')")


async def test_everything_is_said_in_chinese(tmp_path: Path) -> None:
    """
    The language of the browser is the language of the page.
    """
    async with visiting(tmp_path, scripted("好。")) as visitor:
        page = await visitor.page(locale="zh-CN")
        await until_shown(page, "今天做点什么")
        await page.get_by_label("消息", exact=True).fill("你好")
        await page.keyboard.press("Enter")
        await until_shown(page, "好。")

        assert "zh" == await page.evaluate("document.documentElement.lang")
        words = await page.evaluate("document.body.innerText")
        for named in await page.locator("[aria-label], [placeholder]").all():
            words += f"{await named.get_attribute('aria-label')} {await named.get_attribute('placeholder')} "
        assert [] == [each for each in ("Message", "Search", "New chat", "Settings", "Copy", "Send") if each in words]


async def test_a_message_is_edited_and_both_versions_stay(tmp_path: Path) -> None:
    """
    Editing goes on from before the message; the earlier version is one click away, and so is the way back.
    """
    async with visiting(tmp_path, scripted("First answer.", "Second answer.")) as visitor:
        page = await visitor.page()
        await say(page, "First question")
        await until_shown(page, "First answer.")
        await page.locator(".row-user").hover()
        await page.get_by_label("Edit and send again").click()
        await page.get_by_label("Message", exact=True).fill("Second question")
        await page.keyboard.press("Enter")
        await until_shown(page, "Second answer.")
        await expect(page.get_by_text("First answer.")).to_have_count(0)
        await until_shown(page, "2 of 2")
        await page.get_by_label("Previous").click()
        await until_shown(page, "First answer.")
        await page.get_by_label("Next").click()
        await until_shown(page, "Second answer.")

        assert [] == visitor.problems


async def test_a_file_goes_with_a_message_and_is_there_after_a_reload(tmp_path: Path) -> None:
    """
    A picture is shown, and a file is a card that downloads it.
    """
    async with visiting(tmp_path, scripted("A boat.")) as visitor:
        page = await visitor.page()
        notes = FilePayload(name="notes.txt", mimeType="text/plain", buffer=b"tide tables")
        await page.get_by_label("Attach a file").set_input_files(notes)
        await expect(page.locator(".chips li[data-state=there]")).to_have_count(1)
        await say(page, "What is this?")
        await until_shown(page, "A boat.")
        await page.reload()
        async with page.expect_download() as waiting:
            await page.get_by_label("Download notes.txt").click()
        loaded = await (await waiting.value).path()

        assert b"tide tables" == Path(loaded).read_bytes()


async def test_a_session_is_renamed_and_deleted_and_brought_back(tmp_path: Path) -> None:
    """
    Deleting moves it into the trash, and can be undone at once.
    """
    async with visiting(tmp_path, scripted("Hello.")) as visitor:
        page = await visitor.page()
        await say(page, "Hi")
        await until_shown(page, "Hello.")
        await page.get_by_label("More").click()
        await page.get_by_label("Title").fill("The boat")
        await page.get_by_role("button", name="Save").click()
        await expect(page.locator("h1")).to_have_text("The boat")
        await page.get_by_label("More").click()
        await page.get_by_role("button", name="Delete").click()
        await until_shown(page, "Moved into the trash")
        await expect(page.locator("a.session")).to_have_count(0)
        await page.get_by_role("button", name="Undo").click()
        await expect(page.locator("a.session")).to_have_count(1)
