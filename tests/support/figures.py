"""Reports without gnuplot, for tests that look at no figure."""

from antbench.show import plots


def without_gnuplot(patch):
    """Figures of no content take the place of gnuplot's."""

    def draw(figure, terminal, path, variables, template):
        path.write_text("<svg/>")
        return []

    patch.setattr(plots, "call_gnuplot", draw)
