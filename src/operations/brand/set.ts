import * as z from 'zod'
import { operation } from '#operations/operation.ts'
import { Email, text } from '#operations/schemas.ts'
import { brandState, BrandView, brandView } from './brand-view.ts'

/** One spelling of one notation, so that nothing else can stand in a style sheet. */
const Color = z
  .string()
  .regex(/^#[0-9a-fA-F]{6}$/, { error: 'must be a colour as #rrggbb' })
  .transform((color) => color.toLowerCase())
  .meta({ examples: ['#2563eb'] })

const WebAddress = z
  .url({
    protocol: /^https?$/,
    hostname: z.regexes.domain,
    error: 'must be an address of the web, https://…',
  })
  .max(512)

export default operation({
  id: 'brand.set',
  method: 'PATCH',
  path: '/v1/brand',
  scope: 'application',
  summary: 'Change how the portal looks',
  description:
    'Fields left out stay; null takes a field away. The answer tells how well the colour is read, and warns below a contrast of 4.5:1 to white. The logo is uploaded with brand.logo.',
  body: z.strictObject({
    productName: text(128)
      .nullable()
      .optional()
      .meta({ description: 'What people know the product as; null: the name of the application.' }),
    primaryColor: Color.optional().meta({ description: 'The colour of the brand, `#rrggbb`.' }),
    supportEmail: Email.nullable().optional().meta({ description: 'Where people ask for help.' }),
    supportUrl: WebAddress.nullable()
      .optional()
      .meta({ description: 'The same as an address of a page, http or https.' }),
  }),
  output: BrandView,
  async run({ body }, context) {
    const { application, store } = context
    const { logo: _, ...brand } = await store.brands.of(application.id)
    const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))
    await store.brands.put(application.id, { ...brand, ...given })
    return brandView(context)
  },
  revision: (_, context) => brandState(context),
})
