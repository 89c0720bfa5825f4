import { patternsOperation } from '#operations/bundles/shared/define-allow-or-deny-operation.ts'

export default patternsOperation('allow', {
  summary: 'Allow models in a bundle',
  description:
    'Adds the patterns to `allow` and removes the same patterns from `deny`. `deny` overrides `allow`: a name stays denied while another pattern in `deny` matches the name. A pattern that matches no name of the application is rejected, except `*`.',
})
