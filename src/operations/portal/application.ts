import * as z from 'zod'
import { PublicBrand, publicBrand } from '#operations/brand/shared/brand-view.ts'
import { operation } from '#operations/kernel/declare-operation.ts'
import { refused } from '#operations/kernel/returned-error.ts'
import { descriptions, text } from '#operations/kernel/value-and-page-schemas.ts'

export default operation({
  id: 'portal.application',
  method: 'GET',
  path: '/v1/portal-applications/{keyCode}',
  scope: 'public',
  summary: "Show a portal's application",
  description:
    "Returns the name, brand and portal address of the application with this key code. Sign-in pages use this operation before a session exists. On a portal's host, only the portal's own application is returned.",
  parameters: {
    keyCode: text(16).meta({
      description: 'Key code of the application: the part `<code>` of its keys, `ak_<code>_…`.',
      examples: ['k3v9xq'],
    }),
  },
  output: z.object({
    name: z.string().meta({ description: 'Name of the application.' }),
    portal: z.string().meta({ description: "Address of the application's portal." }),
    localPortal: z.exactOptional(z.string()).meta({
      description: descriptions.localUrl,
    }),
    brand: PublicBrand.meta({ description: 'Appearance of the portal.' }),
  }),
  errors: ['not_found'],
  async run({ path }, { portalOf, ports, store }) {
    const application = await store.applications.byCode(path.keyCode)
    const isShown =
      application && application.archivedAtMs === null && (portalOf === null || portalOf === application.id)
    if (!isShown) return refused('not_found', { resource: 'application', id: path.keyCode }, 'keyCode')
    const { localPortal, portal } = ports.urls(application)
    return {
      name: application.name,
      portal,
      ...(localPortal !== undefined && { localPortal }),
      brand: publicBrand(await store.brands.of(application.id), application),
    }
  },
})
