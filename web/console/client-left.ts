/** Describes what happens to a stream when its client disconnects. */
type OnClientLeft = 'cut' | 'drain'

/** Default for kinds whose vendors are known to stop billing. For all others, the gateway reads on. */
const cutKinds: ReadonlySet<string> = new Set(['openai', 'anthropic'])

/** @param setting null for the default of the kind */
export function clientLeftWords(setting: string | null, kind: string): string {
  return (setting ?? defaultOf(kind)) === 'cut' ? 'Stop the stream' : 'Read on for the usage'
}

/** The option of a form. Empty means the default. */
export function onClientLeftOf(choice: string): OnClientLeft | null {
  return choice === 'cut' || choice === 'drain' ? choice : null
}

function defaultOf(kind: string): OnClientLeft {
  return cutKinds.has(kind) ? 'cut' : 'drain'
}
