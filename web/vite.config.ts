import { defineConfig } from "vite";

/** The page is built into the package, so that who installs Holdfast needs no Node. */
export default defineConfig({
  base: "/",
  build: {
    outDir: "../src/holdfast/hosts/gateway/page",
    emptyOutDir: true,
    assetsDir: "assets",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2022",
    sourcemap: false,
    chunkSizeWarningLimit: 700,
  },
});
