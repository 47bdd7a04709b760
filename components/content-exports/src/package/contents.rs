//! The contents of a package with a manifest: what was written so far, and the manifest at the end.

use content_packages::cartridge::{self, Content};
use content_packages::manifest::{Item, Manifest, Resource};
use content_packages::model::Report;
use content_packages::plan::{Format, Plan};
use shared::ids::UserId;
use shared::{Db, Error, Result};

use crate::package::library::Library;
use crate::package::sink::Sink;

/// The file in which the package tells what it could not say.
const REPORT: &str = "export-report.txt";

/// A package that is being written.
pub(crate) struct Contents<'s, 'w> {
    pub(crate) format: Format,
    /// The user who will have the package: what that user may not read does not go into it.
    pub(crate) reader: UserId,
    sink: &'s mut Sink<'w>,
    library: Library,
    resources: Vec<Resource>,
    items: Vec<Item>,
}

impl<'s, 'w> Contents<'s, 'w> {
    pub(crate) fn new(format: Format, sink: &'s mut Sink<'w>, library: Library, reader: UserId) -> Self {
        Self { format, reader, sink, library, resources: Vec::new(), items: Vec::new() }
    }

    /// The losses of the package.
    pub(crate) fn report(&mut self) -> &mut Report {
        &mut self.sink.report
    }

    /// Something goes into it that only its reader may read.
    pub(crate) fn becomes_private(&mut self) {
        self.sink.is_private = true;
    }

    pub(crate) fn db(&self) -> &Db {
        &self.sink.work.db
    }

    /// Begins a heading of the table of contents.
    pub(crate) fn heading(&mut self, id: &str, title: &str) {
        self.items.push(Item { id: id.to_owned(), title: title.to_owned(), resource: None, items: Vec::new() });
    }

    /// Adds a quiz or a bank; one that can be opened stands in the table of contents.
    pub(crate) async fn plan(&mut self, title: &str, plan: Plan<'_>) -> Result<()> {
        let Plan { files, resources, main } = plan;
        for file in &files {
            let bytes = file.render(&|address| self.library.link(address), &mut self.sink.report);
            self.sink.add(&file.path, &bytes.map_err(Error::internal)?).await?;
        }
        self.resources.extend(resources);
        if let Some(main) = main {
            self.opens(title, main);
        }
        Ok(())
    }

    /// Adds what `make` makes with the addresses of the files of the package.
    pub(crate) async fn content(
        &mut self,
        title: &str,
        make: impl FnOnce(Format, &Library) -> content_packages::error::Result<Content>,
    ) -> Result<()> {
        let content = make(self.format, &self.library).map_err(Error::internal)?;
        self.opens(title, content.resource.id.clone());
        self.add(content).await
    }

    async fn add(&mut self, content: Content) -> Result<()> {
        let Content { files, resource, beside } = content;
        for (path, bytes) in files {
            self.sink.add(&path, &bytes).await?;
        }
        self.resources.push(resource);
        self.resources.extend(beside);
        Ok(())
    }

    /// Writes what keeps the files from students, or tells that the format has no words for it.
    async fn restrictions(&mut self) -> Result<()> {
        if self.format.is_common_cartridge() {
            for path in self.library.lost_folders() {
                self.sink.report.note(path, "The name of the folder is too long, or that of another: it is left out");
            }
            let meta = self.library.files_meta();
            return match meta.is_empty() {
                true => Ok(()),
                false => self.add(meta.write().map_err(Error::internal)?).await,
            };
        }
        for kept in self.library.restricted_files() {
            let message = "Students do not see this file, or only for a time, which this package does not say";
            self.sink.report.note(kept.file.path(), message);
        }
        Ok(())
    }

    /// Writes the files, the report, and the manifest.
    pub(crate) async fn finish(mut self, id: &str, title: &str) -> Result<()> {
        for kept in self.library.needed_files() {
            self.sink.add_stored(&kept.path, &kept.file).await?;
            self.resources.push(cartridge::file(&kept.id, &kept.path));
        }
        self.restrictions().await?;
        if !self.sink.report.is_empty() {
            let report = self.sink.report.to_string();
            self.sink.add(REPORT, report.as_bytes()).await?;
            self.resources.push(cartridge::file("export-report", REPORT));
        }
        self.items.retain(|item| !item.items.is_empty());
        let Self { format, items, resources, .. } = self;
        let manifest = Manifest { format, id: id.to_owned(), title: title.to_owned(), items, resources };
        let mut bytes = Vec::new();
        manifest.write(&mut bytes).map_err(Error::internal)?;
        self.sink.add("imsmanifest.xml", &bytes).await
    }

    fn opens(&mut self, title: &str, resource: String) {
        if let Some(heading) = self.items.last_mut() {
            let id = format!("open-{resource}");
            let item = Item { id, title: title.to_owned(), resource: Some(resource), items: Vec::new() };
            heading.items.push(item);
        }
    }
}
