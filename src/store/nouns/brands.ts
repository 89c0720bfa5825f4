import { type Brands, defaultBrand, type LogoFacts } from '#domain/portal-brand.ts'
import { columnsOf, fieldsOf } from '#store/sql/convert-records-and-rows.ts'
import type { Query } from '#store/sql/database-interface.ts'
import { first } from './read-rows-and-pages.ts'

export function brands(query: Query): Brands {
  return {
    async of(applicationId) {
      const brand = await query
        .selectFrom('brands')
        .select(['product_name', 'primary_color', 'support_email', 'support_url', 'top_up_url', 'pay_url'])
        .where('application_id', '=', applicationId)
        .executeTakeFirst()
      const logo = await query
        .selectFrom('brand_logos')
        .select(['hash', 'media_type', 'width_px', 'height_px'])
        .where('application_id', '=', applicationId)
        .executeTakeFirst()
      return {
        ...(brand === undefined ? defaultBrand : fieldsOf(brand)),
        logo: logo === undefined ? null : fieldsOf(logo),
      }
    },
    async put(applicationId, { payUrl, primaryColor, productName, supportEmail, supportUrl, topUpUrl }) {
      const fields = columnsOf({ productName, primaryColor, supportEmail, supportUrl, topUpUrl, payUrl })
      await query
        .insertInto('brands')
        .values({ application_id: applicationId, ...fields })
        .onConflict((conflict) => conflict.column('application_id').doUpdateSet(fields))
        .execute()
    },
    async putLogo(applicationId, { hash, heightPx, mediaType, widthPx }: LogoFacts, bytes) {
      const content = Buffer.from(bytes).toString('base64')
      const fields = columnsOf({ hash, mediaType, widthPx, heightPx, content })
      await query
        .insertInto('brand_logos')
        .values({ application_id: applicationId, ...fields })
        .onConflict((conflict) => conflict.column('application_id').doUpdateSet(fields))
        .execute()
    },
    async removeLogo(applicationId) {
      await query.deleteFrom('brand_logos').where('application_id', '=', applicationId).execute()
    },
    logo: (hash, applicationId) =>
      first(
        query
          .selectFrom('brand_logos')
          .select(['media_type', 'content'])
          .where('hash', '=', hash)
          .$if(applicationId !== null, (some) => some.where('application_id', '=', applicationId ?? ''))
          .limit(1),
        ({ content, media_type: mediaType }) => ({ mediaType, bytes: Buffer.from(content, 'base64') }),
      ),
  }
}
