import type { Check, Finding } from './finding-types.ts'
import { modeTime } from '#operations/kernel/current-time-of-mode.ts'

export const accountsAndKeys: Check = {
  name: 'accounts_and_keys',
  looksAt: 'Whether a provider account, a model, a default bundle and a valid key of the mode exist.',
  async run(context) {
    const { application, mode, names, organization, store } = context
    const findings: Finding[] = []
    const { bundles, models } = await names()
    const resource = { type: 'application', id: application.slug }
    if ((await store.providers.all(organization.id)).length === 0) {
      findings.push({
        code: 'provider_missing',
        severity: 'error',
        resource: { type: 'organization', id: organization.id },
        message: 'The organization has no provider account, so no model can have a source.',
        fix: {
          say: 'Connect a provider account. The simulator needs no account at a provider.',
          call: {
            operation: 'providers.connect',
            method: 'PUT',
            path: '/v1/providers/main',
            body: { kind: 'simulator' },
          },
        },
      })
    }
    if (models.length === 0) {
      findings.push({
        code: 'model_missing',
        severity: 'error',
        resource,
        message: 'The application has no model, so every request is rejected.',
        fix: {
          say: 'Add a model with a source.',
          call: {
            operation: 'models.add',
            method: 'PUT',
            path: '/v1/models/smart',
            body: { sources: [{ provider: 'main', model: 'gpt-5-mini' }] },
          },
        },
      })
    }
    if (application.defaultBundleId === null) {
      const [first] = bundles
      findings.push({
        code: 'default_bundle_missing',
        severity: 'error',
        resource,
        message:
          'The application has no default bundle, so keys can be created only for end users who are on a bundle.',
        fix: first
          ? {
              say: `Make a bundle the default, for example ${first.bundle.slug}.`,
              call: {
                operation: 'bundles.default',
                method: 'POST',
                path: `/v1/bundles/${first.bundle.slug}/default`,
                body: null,
              },
            }
          : {
              say: 'Create a bundle. The first bundle becomes the default.',
              call: {
                operation: 'bundles.create',
                method: 'PUT',
                path: '/v1/bundles/free',
                body: { displayName: 'Free' },
              },
            },
      })
    }
    if (!(await store.diagnosis.hasKey(application.id, mode, modeTime(context)))) {
      findings.push({
        code: 'key_missing',
        severity: 'warning',
        resource,
        message: `The application has no ${mode} key that is neither revoked nor expired, so no end user can send requests.`,
        fix: {
          say: 'Create a key for an end user.',
          call: {
            operation: 'keys.mint',
            method: 'POST',
            path: '/v1/keys',
            body: { endUserId: 'user-1', livemode: mode === 'live' },
          },
        },
      })
    }
    return findings
  },
}
