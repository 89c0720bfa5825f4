import { expect, it } from 'vitest'
import { clientCode, codeLanguages } from './client-code.ts'
import { wires } from './wires.ts'

const gateway = 'http://acme.gateway.localhost:8080'
const asked = { model: 'demo/fast', prompt: `it's "here"\n$HOME`, maxTokens: 20 }

it('contains the request for each client, and the key as a variable', () => {
  for (const [wire] of wires)
    for (const [language] of codeLanguages)
      for (const isStreamed of [true, false]) {
        const code = clientCode(language, { ...asked, wire, isStreamed }, gateway)
        expect(code).toContain(gateway)
        expect(code).toMatch(/AK_KEY/)
        expect(code).toContain('demo/fast')
        expect(code).toContain('20')
      }
})

it('escapes the prompt for the shell', () => {
  const code = clientCode('curl', { ...asked, wire: 'chat', isStreamed: true }, gateway)
  expect(code).toContain(String.raw`it'\''s \"here\"\n$HOME`)
  expect(code).toContain('-H "authorization: Bearer $AK_KEY"')
})
