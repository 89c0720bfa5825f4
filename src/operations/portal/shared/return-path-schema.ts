import * as z from 'zod'
import { sameHostPath } from '#safe-text/same-host-path.ts'

const lengthMax = 512

/**
 * A path on the portal's own host, with an optional query and fragment. The path is stored with the portal link, and is
 * never read from a URL that an attacker could write.
 */
export const ReturnPath = z
  .string()
  .max(lengthMax)
  .refine((path) => sameHostPath(path) !== null, {
    error: 'must be a path on the portal itself, like /usage?range=30d',
  })
  .meta({ examples: ['/usage?range=30d'], maxLength: lengthMax, pattern: '^/([!-.0-~][!-~]*)?$' })
