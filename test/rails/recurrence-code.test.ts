// Codes of recurrences: the three that the Central Bank publishes, and what is refused.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  dynamicBrCode,
  faultOfDynamicCode,
  faultOfRecurrenceCode,
  isBrCodeIntact,
  locationIn,
  recurrenceIn,
} from '../../src/rails/br-code.ts';

const RECEIVER = { receiverName: 'Fulano de Tal', receiverCity: 'BRASILIA' };
const AT = 'pix.example.com/qr/v2';

/** Bacen's API 2.9.0, examples recResponse3, 6 and 7; their checksums were computed again and are right. */
const PUBLISHED = [
  {
    journey: 2,
    recurrence: `${AT}/rec/2353c790eefb11eaadc10242ac120002`,
    emv: '00020126180014br.gov.bcb.pix5204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***80800014br.gov.bcb.pix2558pix.example.com/qr/v2/rec/2353c790eefb11eaadc10242ac120002630462C9',
  },
  {
    journey: 3,
    location: `${AT}/8b3da2f39a4140d1a91abd93113bd441`,
    recurrence: `${AT}/rec/94ed2badcbc04c15b0bb7fa353194890`,
    emv: '00020101021226760014br.gov.bcb.pix2554pix.example.com/qr/v2/8b3da2f39a4140d1a91abd93113bd4415204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***80800014br.gov.bcb.pix2558pix.example.com/qr/v2/rec/94ed2badcbc04c15b0bb7fa35319489063047741',
  },
  {
    journey: 4,
    location: `${AT}/cobv/1e6c54d3ec9449b7a7fc53b6b0f998e7`,
    recurrence: `${AT}/rec/3ffa640fa4f14080adccb949fa2dc0d0`,
    emv: '00020101021226810014br.gov.bcb.pix2559pix.example.com/qr/v2/cobv/1e6c54d3ec9449b7a7fc53b6b0f998e75204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***80800014br.gov.bcb.pix2558pix.example.com/qr/v2/rec/3ffa640fa4f14080adccb949fa2dc0d06304A441',
  },
];

test('codes of journeys 2, 3 and 4 of the norm are read', () => {
  for (const { journey, emv, ...locations } of PUBLISHED) {
    assert.ok(isBrCodeIntact(emv), `journey ${journey}`);
    assert.deepEqual([recurrenceIn(emv), locationIn(emv)], [locations.recurrence, locations.location]);
    assert.equal(faultOfRecurrenceCode(emv), undefined);
  }
});

test('a code of a recurrence alone pays nothing, and one of a charge alone approves nothing', () => {
  const [alone] = PUBLISHED;
  assert.equal(faultOfDynamicCode(alone!.emv), 'it has no location of a charge');
  const charge = dynamicBrCode(`${AT}/abc`, RECEIVER)!;
  assert.equal(recurrenceIn(charge), undefined);
  assert.equal(faultOfRecurrenceCode(charge), 'it has no location of a recurrence');
  assert.match(faultOfRecurrenceCode(alone!.emv.replace('rec/2353', 'rec/2354')) ?? '', /checksum/);
});

test('a location that no code can hold makes none', () => {
  assert.equal(dynamicBrCode(`pix.example.com/${'a'.repeat(62)}`, RECEIVER), undefined);
  assert.equal(dynamicBrCode('nowhere', RECEIVER), undefined);
  assert.equal(locationIn(dynamicBrCode(`https://${AT}/1`, RECEIVER)!), `${AT}/1`);
});
