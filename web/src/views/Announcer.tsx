/** What a screen reader is told: that a reply begins and ends, and that the agent asks; never each word of it. */

import { useEffect, useRef, useState } from "react";
import type { Conversation } from "../state/conversation";
import { useTexts } from "./context";

interface AnnouncerProps {
  readonly conversation: Conversation;
  readonly notify: boolean;
}

export function Announcer({ conversation, notify }: AnnouncerProps) {
  const texts = useTexts();
  const running = conversation.status?.running === true;
  const asks = conversation.questions.length > 0;
  const before = useRef({ running, asks });
  const [told, setTold] = useState("");
  useEffect(() => {
    const was = before.current;
    before.current = { running, asks };
    const news = asks && !was.asks ? texts.asks : running !== was.running ? (running ? texts.replyBegan : texts.replyEnded) : "";
    if (news === "") return;
    setTold(news);
    if (notify && document.hidden && news !== texts.replyBegan) new Notification("Holdfast", { body: news, tag: conversation.key });
  }, [running, asks, texts, notify, conversation.key]);
  return (
    <div className="for-readers" role="status" aria-live="polite">
      {told}
    </div>
  );
}
