import { Failure } from '#domain/errors.ts'

/**
 * @param param the field with the ID; absent if the ID is in the path
 * @throws Failure always; the same failure for an unknown ID and for an ID of another end user or application
 */
export function unknownObject(resource: string, id: string, param?: string): never {
  const shown = id.slice(0, shownIdMax)
  throw new Failure('not_found', { resource, id: shown }, param === undefined ? {} : { param })
}

const shownIdMax = 64
