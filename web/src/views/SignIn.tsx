/** What one sees without a login: how to get one. */

import { useState } from "react";
import { useTexts } from "./context";

interface SignInProps {
  readonly why: "none" | "used" | "unreachable" | "out" | "wait";
  readonly onLink: (link: string) => void;
}

export function SignIn({ why, onLink }: SignInProps) {
  const { signIn } = useTexts();
  const [link, setLink] = useState("");
  if (why === "wait") return <main className="sign-in">{signIn.wait}</main>;
  const problem = { none: "", used: signIn.used, unreachable: signIn.unreachable, out: signIn.out }[why];
  return (
    <main className="sign-in">
      <h1>{signIn.title}</h1>
      {problem !== "" && <p className="problem">{problem}</p>}
      <p>{signIn.text}</p>
      <p>{signIn.how}</p>
      <pre className="detail">holdfast serve --login</pre>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onLink(link.trim().replace(/^.*#login=/, ""));
        }}
      >
        <input value={link} onChange={(event) => setLink(event.target.value)} placeholder={signIn.paste} aria-label={signIn.paste} />
        <button type="submit" className="button main" disabled={link.trim() === ""}>
          {signIn.go}
        </button>
      </form>
    </main>
  );
}
