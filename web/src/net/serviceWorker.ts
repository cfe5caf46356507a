/** Registers the service worker. Trusted Types want a policy for its address; it is the only one of the page. */

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(address: string): string }): { createScriptURL(address: string): string };
}

export function registerServiceWorker(): void {
  if (!("serviceWorker" in navigator) || !import.meta.env.PROD) return;
  const types = (window as { trustedTypes?: TrustedTypes }).trustedTypes;
  const policy = types?.createPolicy("holdfast", {
    createScriptURL: (address) => {
      if (address !== "/sw.js") throw new TypeError(`no script of ours: ${address}`);
      return address;
    },
  });
  // Without it the page works as well, only not without a connection.
  navigator.serviceWorker.register(policy?.createScriptURL("/sw.js") ?? "/sw.js").catch(() => undefined);
}
