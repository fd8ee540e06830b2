/** The library of phone numbers as the build bundles it (gulpfile.js). */
export { Metadata, parsePhoneNumberFromString as parsePhoneNumber } from 'libphonenumber-js/core';
export { default as metadata } from 'libphonenumber-js/max/metadata';
export { default as examples } from 'libphonenumber-js/mobile/examples';
