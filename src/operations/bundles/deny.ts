import { patternsOperation } from '#operations/bundles/shared/define-allow-or-deny-operation.ts'

export default patternsOperation('deny', {
  summary: 'Deny models in a bundle',
  description:
    'Adds the patterns to `deny` and removes the same patterns from `allow`. `deny` overrides `allow`. Takes effect with the next request.',
})
