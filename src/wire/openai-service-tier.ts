/**
 * Returns the name under which the price lists the tier. For OpenAI, `fast` is another name of `priority`, and responses
 * report only `priority` (docs/reference/wires.md "Service tiers of OpenAI").
 */
export function openaiTier(tier: string | null): string | null {
  return tier === 'fast' ? 'priority' : tier
}
