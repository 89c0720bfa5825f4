import { patternsOperation } from './patterns.ts'

export default patternsOperation('allow', {
  summary: 'Allow models in a bundle',
  description:
    'Adds the patterns to `allow` and takes the very same ones off `deny`. Deny beats allow: a name that another pattern of `deny` means stays out of reach. A pattern that means no name of the application is refused, but for a bare `*`.',
})
