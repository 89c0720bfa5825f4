/**
 * How the gateway handles the provider's stream if the client disconnects before the stream ends
 * (docs/guides/hang-up.md). `cut` closes the stream immediately. `drain` keeps reading the stream to get the provider's
 * usage, up to a maximum time and size.
 */
export const onClientLeftChoices = ['cut', 'drain'] as const
export type OnClientLeft = (typeof onClientLeftChoices)[number]
