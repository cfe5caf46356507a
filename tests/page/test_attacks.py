"""What is said by somebody who wants to run something in the page: many tries in one conversation."""

import json
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from holdfast import Scripted
from tests.agent.troupe import PlainTool, calling, scripted
from tests.page.browsing import CHROMIUM, say, visiting

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="chromium is not installed")

ELEMENTS = (
    "<img src=x onerror=alert(1)>",
    "<IMG SRC=x ONERROR=alert(1)>",
    "<svg onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<script>alert(1)</script>",
    "<scr<script>ipt>alert(1)</script>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<iframe src=javascript:alert(1)>",
    "<object data=javascript:alert(1)></object>",
    "<embed src=javascript:alert(1)>",
    "<body onload=alert(1)>",
    "<input autofocus onfocus=alert(1)>",
    "<details open ontoggle=alert(1)>x</details>",
    "<video><source onerror=alert(1)></video>",
    "<audio src=x onerror=alert(1)>",
    "<marquee onstart=alert(1)>x</marquee>",
    "<style>@import 'https://evil.example/x.css';</style>",
    "<link rel=stylesheet href=https://evil.example/x.css>",
    "<base href=https://evil.example/>",
    "<meta http-equiv=refresh content='0;url=https://evil.example/'>",
    "<form action=https://evil.example/><button>x</button></form>",
    "<math><mtext><img src=x onerror=alert(1)></mtext></math>",
    "<template><img src=x onerror=alert(1)></template>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'></noscript>",
    "&lt;img src=x onerror=alert(1)&gt;",
    "<!--><img src=x onerror=alert(1)>-->",
    "<![CDATA[<img src=x onerror=alert(1)>]]>",
)
LINKS = (
    "[a](javascript:alert(1))",
    "[a](JaVaScRiPt:alert(1))",
    "[a](java&#115;cript:alert(1))",
    "[a](&#x6A;avascript:alert(1))",
    "[a](<java\tscript:alert(1)>)",
    "[a](\x01javascript:alert(1))",
    "[a](vbscript:x)",
    "[a](data:text/html;base64,PHNjcmlwdD4=)",
    "[a](blob:https://evil.example/x)",
    "[a](file:///etc/passwd)",
    "[a](view-source:x)",
    "[a](//evil.example/x)",
    "[a](/login.js)",
    "[a](#login=stolen)",
    "<javascript:alert(1)>",
    "[a][r]\n\n[r]: javascript:alert(1)",
    "![a](javascript:alert(1))",
    "![a](https://evil.example/p.png)",
    "![a](data:image/svg+xml,<svg onload=alert(1)>)",
    '[a](https://evil.example/" onmouseover="alert(1))',
    "[![a](https://evil.example/p.png)](javascript:alert(1))",
    "[a](javascript://%0aalert(1))",
)
BLOCKS = (
    "```<img src=x onerror=alert(1)>\nx\n```",
    '```" onload="alert(1)\nx\n```',
    "```__proto__\nx\n```",
    "```constructor\nx\n```",
    "```html\n<script>alert(1)</script>\n```",
    "```svg\n<svg onload=alert(1)>\n```",
    '```mermaid\nclick A href "javascript:alert(1)"\n```',
    "| <img src=x onerror=alert(1)> |\n|---|\n| <script>alert(1)</script> |",
    "- [x] <img src=x onerror=alert(1)>",
    "# <img src=x onerror=alert(1)>",
    "> <svg onload=alert(1)>",
    "`<img src=x onerror=alert(1)>`",
)
FORMULAS = (
    r"$\href{javascript:alert(1)}{x}$",
    r"$\url{javascript:alert(1)}$",
    r"$\includegraphics{https://evil.example/x.png}$",
    r"$\htmlStyle{background:url(https://evil.example/x)}{x}$",
    r"$\htmlClass{question}{x}$",
    r"$\htmlId{root}{x}$",
    r"$\htmlData{a=b}{x}$",
    r"$\text{<img src=x onerror=alert(1)>}$",
    r"$\def\a{\a\a}\a$",
    r"$$\unknown{<script>alert(1)</script>}$$",
    r"$\color{red;background:url(https://evil.example/x)}{x}$",
    r"$\rule{99999em}{99999em}$",
)
EVIL = ELEMENTS + LINKS + BLOCKS + FORMULAS
HARMFUL = "script, iframe, object, embed, base, meta, link, style, form:not(.composer), img, video, audio"


async def harm(page: Page) -> list[str]:
    """Elements and attributes in the page that can only come from what was said, and links that are not the web's."""
    found: list[str] = await page.evaluate(
        """harmful => [...document.querySelectorAll("#root *")].flatMap((each) => {
            const handlers = [...each.attributes].filter(({ name }) => name.startsWith("on"));
            const href = each.getAttribute("href") ?? "";
            const leads = each.closest(".column") !== null && href !== "" && !/^(https?:|mailto:)/.test(href);
            return handlers.length > 0 || leads || each.matches(harmful) ? [each.outerHTML.slice(0, 200)] : [];
        })""",
        HARMFUL,
    )
    return found


@pytest.mark.parametrize("place", ["message", "reply", "tool", "title"])
async def test_nothing_runs_wherever_it_is_said(tmp_path: Path, place: str) -> None:
    """
    In a message, a reply, a tool's name, arguments and result, or a title, what is said is shown, and no more.
    """
    every = "\n\n".join(EVIL)
    tool = PlainTool("write", reads_only=True)
    script: dict[str, tuple[Scripted | str, ...]] = {
        "tool": (
            calling(("write", f'{{"text": {json.dumps(every)}}}'), ("<img/src=x/onerror=alert(1)>", "{}")),
            "End.",
        ),
        "reply": (every,),
    }
    async with visiting(tmp_path, scripted(*script.get(place, ("End.",))), tools=(tool,)) as visitor:
        page = await visitor.page()
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.on("dialog", lambda dialog: visitor.problems.append(dialog.message))
        await say(page, every if place == "message" else "Go on.")
        await expect(page.locator(".turn-end")).to_have_count(1)
        if place == "tool":
            await page.locator(".activity > button").click()
            for line in await page.locator(".tool > button").all():
                await line.click()
            await expect(page.locator(".tool .body")).to_have_count(2)
        if place == "title":
            await page.get_by_label("More").click()
            await page.get_by_label("Title").fill(" ".join(ELEMENTS))
            await page.get_by_role("button", name="Save").click()
            await expect(page.locator("h1")).to_contain_text("<img src=x")

        assert [] == await harm(page)
        assert [] == [url for url in asked if not url.startswith(visitor.url)]
        assert [] == visitor.problems
