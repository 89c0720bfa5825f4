import { patternsOperation } from './patterns.ts'

export default patternsOperation('deny', {
  summary: 'Deny models in a bundle',
  description:
    'Adds the patterns to `deny` and takes the very same ones off `allow`. Deny beats allow, whatever `allow` says of the same names. It holds from the next call on.',
})
