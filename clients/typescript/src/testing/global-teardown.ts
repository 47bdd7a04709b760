/** `globalTeardown` of Jest: ends the sandboxes of the workers. */

import { close } from "./global.ts";

export default close;
