"""Key bindings of the chat, beyond those of every line editor."""

from typing import NamedTuple

from prompt_toolkit.application import get_app
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition, has_completions, has_focus, vi_mode, vi_navigation_mode
from prompt_toolkit.key_binding import KeyBindings, KeyBindingsBase, KeyPressEvent, merge_key_bindings
from prompt_toolkit.keys import Keys

from holdfast.commands.typed_lines import LONGEST
from holdfast.hosts.terminal.input.answer_keys import AnswerKeys
from holdfast.hosts.terminal.input.paste import Pastes
from holdfast.hosts.terminal.input.surface import UserActions
from holdfast.hosts.terminal.input.unsent import Draft

INPUT = "DEFAULT_BUFFER"
TWICE = 2.0
"""Seconds within which Ctrl-C leaves when it is pressed twice."""


class KeyTargets(NamedTuple):
    """What the keys work on."""

    actions: UserActions
    answering: AnswerKeys
    pastes: Pastes


class Sending:
    """Sends what is in the input, or takes it away."""

    def __init__(self, targets: KeyTargets) -> None:
        """Send from an input."""
        self._actions, self._answering, self._pastes = targets
        self._stopped = 0.0
        self.warned = False
        """Whether Ctrl-C was pressed once, and leaves if it is pressed again."""

    def send(self, event: KeyPressEvent, *, after: bool = False) -> None:
        """Send, or answer."""
        self.warned = False
        buffer = event.current_buffer
        if self._answering.armed:
            self._answering.enter()
        elif buffer.complete_state is not None and buffer.complete_state.current_completion is not None:
            buffer.complete_state = None
        elif buffer.text.strip():
            message = Draft(text=buffer.text, pasted=dict(self._pastes.texts))
            self._empty(event, remember=True)
            self._actions.said(message, after=after)
        elif not buffer.text:
            self._actions.go_on()

    def escape(self, event: KeyPressEvent) -> None:
        """Turn a question down, close a menu, or stop the turn."""
        if self._answering.armed:
            self._answering.refuse()
        elif event.current_buffer.complete_state is not None:
            event.current_buffer.cancel_completion()
        elif self._actions.busy:
            self._actions.stop()

    def interrupt(self, event: KeyPressEvent) -> None:
        """Stop the turn, or clear the input; twice, leave."""
        now = event.app.loop.time() if event.app.loop else 0.0
        if self.warned and now - self._stopped < TWICE:
            self._actions.leave()
        elif event.current_buffer.text and not self._actions.busy:
            self._empty(event)
        else:
            self._stopped, self.warned = now, True
            if event.app.loop:
                event.app.loop.call_later(TWICE, self._forget, event)
            if self._actions.busy:
                self._actions.stop()

    def typed(self) -> None:
        """Something was typed after Ctrl-C, so the next one is the first again."""
        self.warned = False

    def _empty(self, event: KeyPressEvent, *, remember: bool = False) -> None:
        """Empty the input; it does not say by itself that nothing stands in it any more."""
        buffer = event.current_buffer
        if remember and buffer.text != (whole := self._pastes.whole(buffer.text)):
            # What is had back later is the paste itself: nobody knows then what its label stood for.
            buffer.set_document(Document(whole))
        buffer.reset(append_to_history=remember and len(buffer.text) <= LONGEST)
        self._pastes.texts.clear()
        self._actions.typed(Draft())

    def _forget(self, event: KeyPressEvent) -> None:
        now = event.app.loop.time() if event.app.loop else 0.0
        if now - self._stopped >= TWICE:  # it was not pressed once more since, after something else
            self.warned = False
            event.app.invalidate()


def bindings(targets: KeyTargets, sending: Sending) -> KeyBindingsBase:
    """Every key of ours."""
    return merge_key_bindings([_sending(targets, sending), _editing(), _pasting(targets)])


def _sending(targets: KeyTargets, sending: Sending) -> KeyBindings:
    keys, here = KeyBindings(), has_focus(INPUT)
    empty = Condition(lambda: not get_app().current_buffer.text)

    @keys.add("enter", filter=here)
    def _(event: KeyPressEvent) -> None:
        sending.send(event)

    @keys.add("c-q", filter=here)
    def _(event: KeyPressEvent) -> None:
        sending.send(event, after=True)

    asked = Condition(lambda: targets.answering.armed)

    # In vi, Esc first goes out of inserting; there is nothing to go out of where a question waits.
    @keys.add("escape", filter=here & (~vi_mode | vi_navigation_mode | asked))
    def _(event: KeyPressEvent) -> None:
        sending.escape(event)

    @keys.add("c-c", filter=here)
    @keys.add("<sigint>", filter=here)
    def _(event: KeyPressEvent) -> None:
        sending.interrupt(event)

    @keys.add("c-d", filter=here & empty)
    def _(_: KeyPressEvent) -> None:
        targets.actions.leave()

    @keys.add("c-o", filter=here)
    def _(_: KeyPressEvent) -> None:
        targets.actions.said(Draft(text="/output"))

    @keys.add("s-tab", filter=here & ~has_completions)
    def _(_: KeyPressEvent) -> None:
        targets.actions.next_mode()

    @keys.add("c-z", filter=here)
    def _(event: KeyPressEvent) -> None:
        event.app.suspend_to_background()

    return keys


def _editing() -> KeyBindings:
    keys, here = KeyBindings(), has_focus(INPUT)
    after_backslash = Condition(lambda: get_app().current_buffer.document.text_before_cursor.endswith("\\"))

    @keys.add("tab", filter=here & Condition(_is_only_choice))
    def _(event: KeyPressEvent) -> None:
        # There is nothing left to choose, so the next Enter sends and does not only close a menu.
        if state := event.current_buffer.complete_state:
            event.current_buffer.apply_completion(state.completions[0])

    @keys.add("enter", filter=here & after_backslash)
    def _(event: KeyPressEvent) -> None:
        event.current_buffer.delete_before_cursor()
        event.current_buffer.newline(copy_margin=False)

    @keys.add("escape", "enter", filter=here)
    @keys.add("c-j", filter=here)
    def _(event: KeyPressEvent) -> None:
        event.current_buffer.newline(copy_margin=False)

    @keys.add("c-x", "c-e", filter=here & ~vi_mode)
    @keys.add("v", filter=here & vi_navigation_mode)
    def _(event: KeyPressEvent) -> None:
        # What comes back stays in the input: it is sent when the person has seen it.
        event.current_buffer.open_in_editor(validate_and_handle=False)

    @keys.add("escape", filter=here & vi_mode & has_completions)
    def _(event: KeyPressEvent) -> None:
        event.current_buffer.cancel_completion()

    return keys


def _pasting(targets: KeyTargets) -> KeyBindings:
    keys, here, pastes = KeyBindings(), has_focus(INPUT), targets.pastes
    after_label = Condition(lambda: bool(pastes.ending(get_app().current_buffer.document.text_before_cursor)))

    @keys.add(Keys.BracketedPaste, filter=here)
    def _(event: KeyPressEvent) -> None:
        if event.data:
            event.current_buffer.insert_text(pastes.put(event.data))
        else:  # a picture, which a terminal cannot pass on
            targets.actions.paste_picture()

    @keys.add("c-v", filter=here)
    def _(_: KeyPressEvent) -> None:
        targets.actions.paste_picture()

    @keys.add("backspace", filter=here & after_label)
    def _(event: KeyPressEvent) -> None:
        label = pastes.ending(event.current_buffer.document.text_before_cursor)
        event.current_buffer.delete_before_cursor(len(label))

    return keys


def _is_only_choice() -> bool:
    state = get_app().current_buffer.complete_state
    return state is not None and len(state.completions) == 1
