/** Directives for the simulator in test mode, which simulate a provider's behavior. */
export const directives = [
  ['[[tokens=200 delay=20ms]]', 'a long answer, slowly'],
  ['[[fail=429]]', 'the provider is rate limited'],
  ['[[fail=529]]', 'the provider is overloaded'],
  ['[[cut=40]]', 'the connection breaks midway'],
  ['[[error]]', 'an error in the middle of the stream'],
  ['[[hang=headers]]', 'no answer comes'],
  ['[[no-usage]]', 'the provider tells no usage'],
  ['[[cached=100]]', 'input that was cached'],
  ['[[reasoning=50]]', 'tokens of reasoning'],
] as const

/** The prompt with an order behind it, or without it where it has it. */
export function withDirective(prompt: string, directive: string): string {
  if (prompt.includes(directive)) return prompt.replace(directive, '').replaceAll(/ {2,}/g, ' ').trim()
  return `${prompt.trim()} ${directive}`.trim()
}
