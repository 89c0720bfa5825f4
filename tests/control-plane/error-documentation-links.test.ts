import { afterAll, beforeAll, expect, it } from 'vitest'
import { errors } from '#domain/errors.ts'
import { openControl, type Control } from '../support/control-plane-without-socket.ts'

let control: Control
beforeAll(async () => {
  control = await openControl()
})
afterAll(() => control.close())

it('an error has a link to the entry of its code, and every code has an entry', async () => {
  const { body } = await control.call('GET', '/v1/models/none', { token: null })
  expect(body.error.code).toBe('missing_credential')
  expect(body.error.docsUrl).toMatch(/\/reference\/errors#missing_credential$/)
  const page = await control.call('GET', '/reference/errors', { token: null })
  expect(page.status).toBe(200)
  expect(page.headers.get('content-type')).toContain('text/html')
  for (const code of Object.keys(errors)) expect(page.text).toContain(`<section id="${code}">`)
  expect(page.text).toContain('&lt;{kind}&gt;')
  expect(page.text).not.toContain('<script')
})

it('at the portal of an application, an error names no host of the control plane', async () => {
  await control.call('PUT', '/v1/apps/acme', { body: { name: 'Acme' } })
  const headers = { host: 'acme.portal.localhost:8080' }
  const { body } = await control.portal('acme').call('GET', '/v1/portal/account', { headers })
  expect(body.error).toMatchObject({ code: 'portal_session_required' })
  expect(body.error).not.toHaveProperty('docsUrl')
})
