// Every operation of the API with the scope that it needs.
import { AUTOMATIC_ROUTES } from '../automatic/routes.ts';
import { getCharge, listCharges, patchCharge, postCob, putCharge } from './charges.ts';
import { deleteLocationTxid, getLocation, listLocations, postLocation } from './locations.ts';
import { getPix, getRefund, listPix, putRefund } from './pix.ts';
import type { Route } from './route.ts';
import { deleteWebhook, getWebhook, listWebhooks, putWebhook } from './webhooks.ts';

export const ROUTES: readonly Route[] = [
  { operation: 'PUT /cob/{txid}', scope: 'cob.write', handle: putCharge('cob') },
  { operation: 'PATCH /cob/{txid}', scope: 'cob.write', handle: patchCharge('cob') },
  { operation: 'GET /cob/{txid}', scope: 'cob.read', handle: getCharge('cob') },
  { operation: 'POST /cob', scope: 'cob.write', handle: postCob },
  { operation: 'GET /cob', scope: 'cob.read', handle: listCharges('cob') },
  { operation: 'PUT /cobv/{txid}', scope: 'cobv.write', handle: putCharge('cobv') },
  { operation: 'PATCH /cobv/{txid}', scope: 'cobv.write', handle: patchCharge('cobv') },
  { operation: 'GET /cobv/{txid}', scope: 'cobv.read', handle: getCharge('cobv') },
  { operation: 'GET /cobv', scope: 'cobv.read', handle: listCharges('cobv') },
  { operation: 'POST /loc', scope: 'payloadlocation.write', handle: postLocation },
  { operation: 'GET /loc', scope: 'payloadlocation.read', handle: listLocations },
  { operation: 'GET /loc/{id}', scope: 'payloadlocation.read', handle: getLocation },
  { operation: 'DELETE /loc/{id}/txid', scope: 'payloadlocation.write', handle: deleteLocationTxid },
  { operation: 'GET /pix/{e2eid}', scope: 'pix.read', handle: getPix },
  { operation: 'GET /pix', scope: 'pix.read', handle: listPix },
  { operation: 'PUT /pix/{e2eid}/devolucao/{id}', scope: 'pix.write', handle: putRefund },
  { operation: 'GET /pix/{e2eid}/devolucao/{id}', scope: 'pix.read', handle: getRefund },
  { operation: 'PUT /webhook/{chave}', scope: 'webhook.write', handle: putWebhook },
  { operation: 'GET /webhook/{chave}', scope: 'webhook.read', handle: getWebhook },
  { operation: 'DELETE /webhook/{chave}', scope: 'webhook.write', handle: deleteWebhook },
  { operation: 'GET /webhook', scope: 'webhook.read', handle: listWebhooks },
  ...AUTOMATIC_ROUTES,
];
