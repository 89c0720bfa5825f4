/** What a client's leaving does to a stream, in words. */
type OnClientLeft = 'cut' | 'drain'

/** The default of the kinds whose vendors are known to stop billing; all others read on. */
const cutKinds: ReadonlySet<string> = new Set(['openai', 'anthropic'])

/** @param setting null: the default of the kind */
export function clientLeftWords(setting: string | null, kind: string): string {
  return (setting ?? defaultOf(kind)) === 'cut' ? 'Stop the stream' : 'Read on for the usage'
}

/** The choice of a form; empty is the default. */
export function onClientLeftOf(choice: string): OnClientLeft | null {
  return choice === 'cut' || choice === 'drain' ? choice : null
}

function defaultOf(kind: string): OnClientLeft {
  return cutKinds.has(kind) ? 'cut' : 'drain'
}
