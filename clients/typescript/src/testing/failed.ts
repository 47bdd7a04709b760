/** There is no sandbox: its program is missing, ended before it served, or nothing serves where it should. */
export class SandboxFailed extends Error {
    override name = "SandboxFailed";
}
