import * as z from 'zod'
import { logoTypes, type Brand } from '#domain/brand.ts'
import type { Application } from '#domain/records.ts'
import type { InApplication } from '#operations/context.ts'
import { contrastOf } from './contrast.ts'

const Logo = z
  .object({
    path: z.string().meta({
      description: "Where it is served, on the portal's host and on the control plane's: `/brand/logo/…`.",
    }),
    mediaType: z.enum(logoTypes).meta({ description: 'What it is.' }),
    widthPx: z.int().meta({ description: 'Its width in pixels.' }),
    heightPx: z.int().meta({ description: 'Its height in pixels.' }),
  })
  .meta({ id: 'Logo', description: 'The logo of an application, without its bytes.' })

const shown = {
  productName: z.string().meta({ description: 'What people know the product as.' }),
  primaryColor: z
    .string()
    .meta({ description: 'The colour of the brand, `#rrggbb`.', examples: ['#1f2937'] }),
  textColor: z.string().meta({ description: 'What is read best on that colour, `#rrggbb`.' }),
  supportEmail: z.string().nullable().meta({ description: 'Where people ask for help; null: not said.' }),
  supportUrl: z.string().nullable().meta({ description: 'The same as an address of a page.' }),
  topUpUrl: z
    .string()
    .nullable()
    .meta({ description: 'The page where the application sells credit. Null if none is set.' }),
  payUrl: z
    .string()
    .nullable()
    .meta({ description: 'The page where invoices are paid. Null if none is set.' }),
  logo: Logo.nullable().meta({ description: 'The logo; null: none.' }),
}

/** The public part of a brand. */
export const PublicBrand = z
  .object(shown)
  .meta({ id: 'PortalBrand', description: 'How the portal of an application looks.' })

export const BrandView = z
  .object({
    ...shown,
    contrast: z
      .object({
        white: z.number().meta({ description: 'Contrast of the colour and white, 1 to 21 (WCAG 2.2).' }),
        black: z.number().meta({ description: 'Contrast of the colour and black.' }),
        warning: z.string().nullable().meta({
          description:
            'Said where the colour has less than 4.5:1 to white: text in it is hard to read; else null.',
        }),
      })
      .meta({ description: 'How well the colour is read.' }),
  })
  .meta({ id: 'Brand', description: 'How the portal of the application looks, and how well it is read.' })

/** Returns the path of a logo. @param hash SHA-256 of its bytes, lower-case hex */
export function logoPath(hash: string): string {
  return `/brand/logo/${hash}`
}

export function publicBrand(
  { logo, payUrl, primaryColor, productName, supportEmail, supportUrl, topUpUrl }: Brand,
  { name }: Pick<Application, 'name'>,
): z.output<typeof PublicBrand> {
  return {
    productName: productName ?? name,
    primaryColor,
    textColor: contrastOf(primaryColor).textColor,
    supportEmail,
    supportUrl,
    topUpUrl,
    payUrl,
    logo: logo && {
      path: logoPath(logo.hash),
      mediaType: logo.mediaType,
      widthPx: logo.widthPx,
      heightPx: logo.heightPx,
    },
  }
}

export async function brandView({ application, store }: InApplication): Promise<z.output<typeof BrandView>> {
  const brand = await store.brands.of(application.id)
  const { black, warning, white } = contrastOf(brand.primaryColor)
  return { ...publicBrand(brand, application), contrast: { white, black, warning } }
}

/** Returns the state that the ETag of the brand is computed from. */
export async function brandState({ application, store }: InApplication): Promise<object> {
  const brand = await store.brands.of(application.id)
  const { productName } = brand
  return { ...publicBrand(brand, application), productName }
}
