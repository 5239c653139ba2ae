import { defineConfig } from "vite";

// The bundle goes where the Python package serves it from. Nothing is inlined as data, so that the page needs no
// exception in its Content-Security-Policy.
export default defineConfig({
  build: {
    outDir: "../src/murk/web/static",
    emptyOutDir: true,
    target: "es2023",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    license: { fileName: "licences.txt" }, // of what is bundled, which asks for it
  },
  server: {
    fs: { allow: [".."] }, // the pieces are in the Python package
    proxy: { "/api": { target: "http://127.0.0.1:8765", ws: true } },
  },
});
