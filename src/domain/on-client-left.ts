/**
 * What happens to the provider's stream when the client leaves before its end (docs/guides/hang-up.md): `cut` closes it
 * immediately; `drain` reads on for the provider's usage, up to a time and a size.
 */
export const onClientLeftChoices = ['cut', 'drain'] as const
export type OnClientLeft = (typeof onClientLeftChoices)[number]
