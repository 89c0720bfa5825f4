import { ownApplication } from '#operations/kernel/find-resources-of-caller.ts'
import { Refused } from '#operations/kernel/returned-error.ts'
import { readConfiguration } from './configuration.ts'

/** The ETag covers the whole configuration of the application. */
export const ownConfiguration = {
  ...ownApplication,
  revision: async (...[slug, context]: Parameters<typeof ownApplication.find>): Promise<object | null> => {
    const application = await ownApplication.find(slug, context)
    return application instanceof Refused ? null : readConfiguration({ ...context, application })
  },
}
