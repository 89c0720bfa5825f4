import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { byteTextOf, textOf } from '#wire/text/byte-text.ts'
import { formText } from '#wire/text/form-parts.ts'
import { parseJson } from '#wire/text/json-parser.ts'
import { isFault, upstreamBody, type RequestPath, type WireRequest } from './wire-request.ts'
import { formWithModelInPath, withModelInPath } from './model-of-azure-deployment.ts'
import { wires } from './table-of-wires.ts'

const path: RequestPath = { model: 'acme/fast', isStream: false, isJsonArray: false }
const parse = withModelInPath(wires.chat.parseRequest)
const messages = '"messages":[{"role":"user","content":"Hello"}]'

function read(body: string, of: RequestPath = path): WireRequest {
  const request = parse(byteTextOf(body), of)
  if (isFault(request)) throw new Error(request.reason)
  return request
}

function refusal(body: string, of: RequestPath = path): string {
  const request = parse(byteTextOf(body), of)
  return isFault(request) ? request.reason : 'accepted'
}

const sent = (body: string, model: string): string => textOf(upstreamBody(read(body), model, null))

describe('the model name of an Azure path in a JSON body', () => {
  it('a body without a model gets the name of the path, and all other bytes are unchanged', () => {
    expect(read(`{ ${messages} }`).model).toBe('acme/fast')
    expect(sent(`{ ${messages} ,"seed":1e2}`, 'up')).toBe(`{"model":"up", ${messages} ,"seed":1e2}`)
  })

  it.each(['"acme/fast"', '"acme/other"', '"up"', 'null', '7', '{"a":["model"]}'])(
    'the model %s in the body is replaced by the name of the path',
    (written) => {
      const body = `{"seed":1, "model" : ${written} ,${messages}}`
      expect(read(body).model).toBe('acme/fast')
      expect(sent(body, 'up')).toBe(`{"seed":1, "model" : "up" ,${messages}}`)
      // The provider's model may have the same name as the alias in the path.
      expect(sent(body, 'acme/fast')).toBe(`{"seed":1, "model" : "acme/fast" ,${messages}}`)
    },
  )

  it('a repeated model, also with escapes in its key, is rejected', () => {
    expect(refusal(`{"model":"a",${messages},"model":"b"}`)).toContain('repeated')
    expect(refusal(`{"mod\\u0065l":"a",${messages},"model":"b"}`)).toContain('repeated')
    expect(read(`{"mod\\u0065l":"a",${messages}}`).model).toBe('acme/fast')
  })

  it('an invalid body is rejected, and so is an invalid model name in the path', () => {
    expect(refusal('{}')).toContain('messages')
    expect(refusal('[]')).toBe('The body must be a JSON object.')
    expect(refusal('{"model":')).not.toBe('accepted')
    expect(refusal(`{${messages}}`, { ...path, model: 'm'.repeat(129) })).toContain('128 characters')
    expect(read(`{${messages}}`, { ...path, model: 'm'.repeat(128) }).model).toHaveLength(128)
  })

  it('if a body was parsed in steps, the rewritten body is also parsed in steps', () => {
    const json = parseJson(byteTextOf(`{"model":"a",${messages}}`))
    if ('reason' in json) throw new Error(json.reason)
    const found = parse(json, path)
    if (!isFault(found) || found.instead?.parse === undefined) throw new Error('it was not parsed in steps')
    const { parse: then, text } = found.instead
    expect(then(text as string, path)).toMatchObject({ wire: 'chat', model: 'acme/fast' })
  })

  it('a model in the path gives the same result as the same model in the body', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }),
        fc.option(fc.jsonValue()),
        fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue(), { maxKeys: 4 }),
        (model, written, more) => {
          const others = Object.entries({ ...more, messages: [{ role: 'user', content: 'Hello' }] })
          const body = (...models: readonly unknown[]) => {
            const members = [...models.map((one) => ['model', one] as const), ...others]
            const fields = members.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
            return byteTextOf(`{${fields.join(',')}}`)
          }
          const parsed = parse(written === null ? body() : body(written), { ...path, model })
          const same = wires.chat.parseRequest(body(model), path)
          expect(parsed).toEqual(same)
        },
      ),
    )
  })
})

describe('the model name of an Azure path in a form', () => {
  const ofForm = { ...path, boundary: 'xx' }
  const prompt = { name: 'prompt', value: 'a cat' }
  const file = { name: 'image', filename: 'a.png', value: '\u0089PNG' }
  const form = (...models: readonly string[]) =>
    formText('xx', [prompt, ...models.map((value) => ({ name: 'model', value })), file])

  it('a form without a model gets the model name of the path as its first field', () => {
    expect(formWithModelInPath(form(), ofForm)).toBe(
      formText('xx', [{ name: 'model', value: 'acme/fast' }, prompt, file]),
    )
  })

  it('the model in a form is replaced by the name of the path', () => {
    expect(formWithModelInPath(form('acme/other'), ofForm)).toBe(form('acme/fast'))
    const request = wires.image_edits.parseRequest(formWithModelInPath(form('up'), ofForm), ofForm)
    if (isFault(request)) throw new Error(request.reason)
    expect(upstreamBody(request, 'up', null)).toBe(form('up'))
  })

  it('a repeated model is rejected, and a text that is not a form is not changed', () => {
    const request = wires.image_edits.parseRequest(formWithModelInPath(form('a', 'b'), ofForm), ofForm)
    expect(isFault(request) && request.reason).toContain('repeated')
    expect(formWithModelInPath('{}', ofForm)).toBe('{}')
    expect(formWithModelInPath('{}', path)).toBe('{}')
  })
})
