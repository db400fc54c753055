import os, pytest
from tests.web.test_editing_browser import open_editor, type_at_the_end, policy, Worker, work, Trial
pytestmark=[pytest.mark.django_db(transaction=True)]
OUT=open("/tmp/edit_shots_dir").read().strip()
@pytest.mark.parametrize("scheme,width", [("light",1280),("dark",1280),("light",390),("dark",390)])
def test_shots(scheme,width,open_browser,policy):
    b=open_browser(width,850,color_scheme=scheme)
    page=open_editor(b,policy)
    type_at_the_end(page,"# tried\n")
    page.click("#try")
    page.wait_for_selector("[data-trial]")
    w=Worker(engine_workers=2,announce=False); work.perform(Trial.objects.get().job_id,w)
    page.wait_for_selector("[data-trial] >> text=Change against the mixture")
    page.wait_for_selector("#tried >> text=You tried this")
    page.screenshot(path=f"{OUT}/edit-{scheme}-{width}.png",full_page=True)
    type_at_the_end(page,"def broken(:\n"); page.wait_for_selector("#verdict >> text=syntax error")
    page.screenshot(path=f"{OUT}/broken-{scheme}-{width}.png")
    b.open(f"/trials/{Trial.objects.get().pk}")
    page.screenshot(path=f"{OUT}/trial-{scheme}-{width}.png",full_page=True)
    w.close()
