// Dawn (npm `webgpu`) after `activate()`.
import { activate } from "pyroclast";

activate();
const { create } = await import("webgpu");
const adapter = await create([]).requestAdapter();
console.log(adapter.info.description);
process.exit(0);
