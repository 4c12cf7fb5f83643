// Bundles what is not Rust, so that the page needs one request for each: into app/generated/, which git ignores.
import { build } from "esbuild";
import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = new URL("../../", import.meta.url);
const at = (path) => fileURLToPath(new URL(path, root));
const common = { bundle: true, minify: true, format: "esm", target: "es2022", legalComments: "none", logLevel: "warning" };

await mkdir(at("app/generated"), { recursive: true });
// The katas but the first, which is in the page itself, the chapters and the contents are fetched as files.
const katas = promisify(execFile)(
  "cargo",
  ["run", "--quiet", "--locked", "--offline", "-p", "leasehold-exercises", "--bin", "katas", "--", at("app/generated/katas")],
  { cwd: at(".") },
);
await Promise.all([
  katas,
  build({ ...common, entryPoints: [at("app/editor/editor.js")], outfile: at("app/generated/editor.js") }),
  build({ ...common, entryPoints: [at("app/editor/early.js")], outfile: at("app/generated/early.js") }),
  build({ ...common, entryPoints: [at("app/editor/worker-boot.js")], outfile: at("app/generated/worker-boot.js") }),
  build({ ...common, entryPoints: [at("app/editor/carry.js")], outfile: at("app/generated/pictures-carry.js") }),
  build({ ...common, entryPoints: [at("static/css/page.css")], outfile: at("app/generated/page.css") }),
  build({ ...common, entryPoints: [at("static/css/pictures.css")], outfile: at("app/generated/pictures.css") }),
]);
