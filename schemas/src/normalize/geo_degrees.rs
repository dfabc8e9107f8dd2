use super::degrees::{LATITUDES, LONGITUDES, parse};
use super::{NormalizeError, Normalizer, number};
use std::fmt::Write as _;
use std::ops::RangeInclusive;

/// One coordinate as an encoded number of degrees (`0770200W` → `!YE2.296666666666667`): `GeoLatType`, `GeoLonType`.
#[derive(Clone, Debug)]
pub struct GeoDegrees(RangeInclusive<f64>);

/// -90 to 90 degrees.
pub const GEO_LAT: GeoDegrees = GeoDegrees(LATITUDES);

/// -180 to 180 degrees.
pub const GEO_LON: GeoDegrees = GeoDegrees(LONGITUDES);

impl Normalizer for GeoDegrees {
    fn normalize(
        &self,
        text: &str,
        buffer: &mut String,
        each: &mut dyn FnMut(&str),
    ) -> Result<(), NormalizeError> {
        let degrees = parse(text)
            .filter(|degrees| self.0.contains(degrees))
            .ok_or(NormalizeError::NotDegrees)?;
        buffer.clear();
        // Writing to a String cannot fail.
        let _ = write!(buffer, "{degrees:e}");
        let end = buffer.len();
        number::encode_tail(buffer)?;
        each(&buffer[end..]);
        Ok(())
    }
}
