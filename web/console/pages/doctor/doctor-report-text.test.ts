import { describe, expect, it } from 'vitest'
import { reportText } from './doctor-report-text.ts'
import { placeOf, safeFix } from './safe-fixes.ts'

describe('the text of the report', () => {
  it('the text of the report lists findings, fixes and checks, without request bodies', () => {
    const text = reportText({
      application: 'acme',
      mode: 'live',
      checkedAt: '2026-11-20T12:00:00.000Z',
      sound: false,
      findings: [
        {
          code: 'name_disabled',
          severity: 'error',
          resource: { type: 'model', id: 'acme/fast' },
          message: 'It is disabled.',
          fix: {
            say: 'Enable it.',
            call: {
              operation: 'models.enable',
              method: 'POST',
              path: '/v1/models/acme/fast/enable',
              // Example bodies may contain user input, so they are omitted.
              body: { apiKey: 'secret' },
            },
          },
        },
      ],
      checks: [{ name: 'prices', looksAt: 'prices', state: 'found', findings: 1 }],
    })
    expect(text).toContain('[error] name_disabled (model acme/fast)')
    expect(text).toContain('models.enable: POST /v1/models/acme/fast/enable')
    expect(text).toContain('prices: found, 1')
    expect(text).not.toContain('secret')
  })
})

describe('a fix', () => {
  it('a fix is a button only if it needs no decision', () => {
    expect(safeFix('models.enable')?.words).toBe('Enable model')
    for (const id of ['providers.price', 'providers.connect', 'models.add', 'keys.mint', 'grants.issue'])
      expect([id, safeFix(id)]).toEqual([id, null])
  })

  it('a fix that needs a decision links to the page of the resource', () => {
    expect(placeOf('model', 'a/b')).toEqual({ to: '/models', search: { open: 'a/b' } })
    expect(placeOf('server', 'disk')).toBe(null)
  })
})
