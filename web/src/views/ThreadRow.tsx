/** One row of a thread, by what it is. */

import type { Row } from "../state/thread";
import { Activity } from "./Activity";
import { Marker } from "./Marker";
import type { MessageActions } from "./MessageActions";
import { Reply } from "./Reply";
import { TurnFooter } from "./TurnFooter";
import { UserMessage } from "./UserMessage";

interface ThreadRowProps {
  readonly row: Row;
  readonly session: string;
  readonly actions: MessageActions;
}

export function ThreadRow({ row, session, actions }: ThreadRowProps) {
  switch (row.row) {
    case "user":
      return <UserMessage row={row} session={session} actions={actions} />;
    case "activity":
      return <Activity row={row} />;
    case "text":
      return <Reply row={row} session={session} />;
    case "footer":
      return <TurnFooter row={row} actions={actions} />;
    case "marker":
      return <Marker row={row} session={session} />;
    default:
      return row satisfies never;
  }
}
