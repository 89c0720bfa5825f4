/**
 * The action on the provider's stream when the client disconnects before its end (docs/guides/hang-up.md). `cut` closes
 * the stream immediately. `drain` reads on to get the provider's usage, up to a time and a size.
 */
export const onClientLeftChoices = ['cut', 'drain'] as const
export type OnClientLeft = (typeof onClientLeftChoices)[number]
