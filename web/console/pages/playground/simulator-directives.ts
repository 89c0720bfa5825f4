export const directives = [
  ['[[tokens=200 delay=20ms]]', 'a long response, slowly'],
  ['[[fail=429]]', 'the provider is rate limited'],
  ['[[fail=529]]', 'the provider is overloaded'],
  ['[[cut=40]]', 'the connection breaks midway'],
  ['[[error]]', 'an error in the middle of the stream'],
  ['[[hang=headers]]', 'the provider does not respond'],
  ['[[no-usage]]', 'the provider reports no usage'],
  ['[[cached=100]]', 'cached input'],
  ['[[reasoning=50]]', 'reasoning tokens'],
] as const

/** Removes the directive if the prompt already contains it. */
export function withDirective(prompt: string, directive: string): string {
  if (prompt.includes(directive)) return prompt.replace(directive, '').replaceAll(/ {2,}/g, ' ').trim()
  return `${prompt.trim()} ${directive}`.trim()
}
