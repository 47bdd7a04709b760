//! The resources of the area, as they are declared. See "Endpoints" in `docs/contract/mastery.md`.

mod banks;
mod classrooms;
mod maps;
mod materials;
mod schools;

use shared::Endpoint;

use crate::resource::Resource;

/// All of them, in the order of the description.
pub(crate) static RESOURCES: [&Resource; 16] = [
    &schools::DISTRICTS,
    &schools::SCHOOLS,
    &schools::TEACHERS,
    &schools::SECTIONS,
    &classrooms::CLASSROOMS,
    &classrooms::OBJECTIVES,
    &classrooms::CLASS_OBJECTIVES,
    &materials::MATERIALS,
    &materials::ITEMS,
    &banks::BANKS,
    &banks::QUESTIONS,
    &banks::PASSAGES,
    &maps::CURRICULUM_MAPS,
    &maps::MAP_OBJECTIVES,
    &maps::MAP_MATERIALS,
    &maps::PATHWAYS,
];

/// The endpoints of all resources.
pub(crate) fn endpoints() -> Vec<Endpoint> {
    RESOURCES.iter().flat_map(|resource| resource.endpoints()).collect()
}
