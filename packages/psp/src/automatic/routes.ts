// Every operation of Pix Automático with the scope that it needs.
import type { Route } from '../routes/route.ts';
import { getCobR, listCobRs, patchCobR, postCobR, postRetry, putCobR } from './cobr-routes.ts';
import { deleteLocationRec, getRecLocation, listRecLocations, postRecLocation } from './location-routes.ts';
import { getRec, listRecs, patchRec, postRec } from './rec-routes.ts';
import { getRequest, patchRequest, postRequest } from './request-routes.ts';
import { deleteAutomaticWebhook, getAutomaticWebhook, putAutomaticWebhook } from './webhook-routes.ts';

export const AUTOMATIC_ROUTES: readonly Route[] = [
  { operation: 'POST /rec', scope: 'rec.write', handle: postRec },
  { operation: 'GET /rec', scope: 'rec.read', handle: listRecs },
  { operation: 'GET /rec/{idRec}', scope: 'rec.read', handle: getRec },
  { operation: 'PATCH /rec/{idRec}', scope: 'rec.write', handle: patchRec },
  { operation: 'POST /solicrec', scope: 'solicrec.write', handle: postRequest },
  { operation: 'GET /solicrec/{idSolicRec}', scope: 'solicrec.read', handle: getRequest },
  { operation: 'PATCH /solicrec/{idSolicRec}', scope: 'solicrec.write', handle: patchRequest },
  { operation: 'PUT /cobr/{txid}', scope: 'cobr.write', handle: putCobR },
  { operation: 'PATCH /cobr/{txid}', scope: 'cobr.write', handle: patchCobR },
  { operation: 'GET /cobr/{txid}', scope: 'cobr.read', handle: getCobR },
  { operation: 'POST /cobr', scope: 'cobr.write', handle: postCobR },
  { operation: 'GET /cobr', scope: 'cobr.read', handle: listCobRs },
  {
    operation: 'POST /cobr/{txid}/retentativa/{data}',
    scope: 'cobr.write',
    handle: postRetry,
    isWithoutBody: true,
  },
  { operation: 'POST /locrec', scope: 'payloadlocationrec.write', handle: postRecLocation, isWithoutBody: true },
  { operation: 'GET /locrec', scope: 'payloadlocationrec.read', handle: listRecLocations },
  { operation: 'GET /locrec/{id}', scope: 'payloadlocationrec.read', handle: getRecLocation },
  { operation: 'DELETE /locrec/{id}/idRec', scope: 'payloadlocationrec.write', handle: deleteLocationRec },
  { operation: 'PUT /webhookrec', scope: 'webhookrec.write', handle: putAutomaticWebhook('rec') },
  { operation: 'GET /webhookrec', scope: 'webhookrec.read', handle: getAutomaticWebhook('rec') },
  { operation: 'DELETE /webhookrec', scope: 'webhookrec.write', handle: deleteAutomaticWebhook('rec') },
  { operation: 'PUT /webhookcobr', scope: 'webhookcobr.write', handle: putAutomaticWebhook('cobr') },
  { operation: 'GET /webhookcobr', scope: 'webhookcobr.read', handle: getAutomaticWebhook('cobr') },
  { operation: 'DELETE /webhookcobr', scope: 'webhookcobr.write', handle: deleteAutomaticWebhook('cobr') },
];
