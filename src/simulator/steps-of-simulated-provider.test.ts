import fc from 'fast-check'
import { expect, test } from 'vitest'
import { play } from '#tests/fixtures/collect-simulated-actions.ts'
import { formText } from '#wire/text/form-parts.ts'
import { sampledRuns } from '#tests/support/number-of-property-runs.ts'

/** Field names that the simulator reads, so that random bodies contain valid nested fields. */
const name = fc.constantFrom(
  ...(
    'model messages contents input role content parts text type tools tool_choice function name parameters ' +
    'functionDeclarations functionCall functionResponse args response tool_calls id arguments tool_use_id ' +
    'thinking signature generationConfig max_tokens stop response_format json_schema schema $ref source ' +
    'output_config format reasoning system call_id summary encrypted_content toolConfig strict items anyOf'
  ).split(' '),
)
const word = fc.constantFrom(
  ...(
    'user assistant model tool system text image tool_use tool_result function function_call reasoning ' +
    'thinking enabled json_schema object array auto required any #/properties/a'
  ).split(' '),
)
const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { depthSize: 'medium', maxDepth: 6 },
    word,
    fc.constantFrom(null, true, 0, 1, -1, 1.5, 1e300, ''),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(name, tie('json'), { maxKeys: 6 }),
  ),
}))

test.each(['chat', 'messages', 'generate', 'responses'] as const)(
  'on the wire %s, every request is answered or rejected, and none causes an exception',
  (wire) => {
    const turn = fc.dictionary(name, json, { maxKeys: 5 })
    const body = fc
      .tuple(fc.dictionary(name, json, { maxKeys: 6 }), fc.array(turn, { maxLength: 4 }))
      .map(([fields, turns]) => ({
        ...fields,
        model: 'm',
        max_tokens: 5,
        messages: turns,
        contents: turns,
        input: turns,
      }))
      .map(({ messages, contents, input, ...rest }) => {
        if (wire === 'generate') return { ...rest, contents }
        return wire === 'responses' ? { ...rest, input } : { ...rest, messages }
      })
    fc.assert(
      fc.property(body, fc.boolean(), (sent, isStream) => {
        const { status, text } = play(wire, { ...sent, stream: isStream }, { isStream })
        expect([200, 400]).toContain(status)
        expect(text).not.toBe('')
      }),
      sampledRuns(1500),
    )
  },
)

test('a body that is not a JSON object is rejected with the message of each vendor', () => {
  for (const wire of ['chat', 'messages', 'generate', 'responses'] as const) {
    for (const text of ['', '{', '[]', 'null', '\u0000']) {
      const { status, body } = play(wire, {}, { body: Buffer.from(text) })
      expect(status).toBe(400)
      expect(body).toHaveProperty('error.message')
    }
  }
})

test.each([
  ['transcriptions', '', 'file'],
  ['transcriptions', null, 'file'],
  ['image_edits', null, 'image'],
] as const)('for %s with the file %j, the error names the field %s of the form', (wire, file, field) => {
  const parts = [
    { name: 'model', value: 'm' },
    { name: 'prompt', value: 'a cat' },
    ...(file === null ? [] : [{ name: field, filename: 'f', value: file }]),
  ]
  const body = Buffer.from(formText('simple', parts), 'latin1')
  const played = play(wire, {}, { body })
  expect(played.status).toBe(400)
  expect(played.body).toMatchObject({ error: { message: `Invalid value: '${field}'.`, param: field } })
})
