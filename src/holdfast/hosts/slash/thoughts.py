"""`/thinking`: what the model thought before its last reply, unfolded."""

from holdfast.errors import NotThere
from holdfast.hosts.slash.answer import Answers, Words
from holdfast.hosts.slash.desk import SlashDesk
from holdfast.hosts.slash.past import newest_first
from holdfast.records.entries import ModelReplied
from holdfast.records.parts import Thinking


async def thinking(_: str, desk: SlashDesk) -> Answers:
    """Give all of the newest thinking there is."""
    async for record in newest_first(desk.session):
        if isinstance(record.entry, ModelReplied):
            thoughts = [part.text for part in record.entry.parts if isinstance(part, Thinking) and part.text.strip()]
            if thoughts:
                return (Words(markdown="\n\n".join(thoughts)),)
    raise NotThere("No model has shown its thinking here yet.", hint="Not every model does.")
