"""file_reservations and the family's five through the SDK's client."""

from __future__ import annotations

from server_desk import BLUE, GREEN, RED, Project, Voice, talk


def test_one_tool_reserves_refuses_queues_and_releases(project: Project) -> None:
    async def play(blue: Voice, green: Voice) -> None:
        tool = "file_reservations"
        absolute = str(project.path / "src" / "a.py")
        taken = await blue(tool, action="reserve", paths=[absolute, "port:8080"], reason="login")
        (one,) = taken["reservations"]
        assert (one["agent"], one["paths"]) == (BLUE, ["/src/a.py", "port:8080"])
        refused = await green(tool, action="reserve", paths=["src/**"])
        assert (refused.error, refused["holders"][0]["reason"]) == ("reservation_conflict", "login")
        before = project.commits()
        checked = await green(tool, action="check", paths=["src/*.py", "/docs/"])
        assert [found["free"] for found in checked["checked"]] == [False, True]
        assert len((await green(tool, action="list"))["reservations"]) == 1
        assert project.commits() == before
        queued = await green(tool, action="reserve", paths=["src/**"], wait=True)
        assert queued["reservations"][0]["waiting"] is True
        assert queued["behind"][0]["id"] == one["id"]
        assert (await blue(tool, action="renew"))["reservations"][0]["id"] == one["id"]
        freed = await blue(tool, action="release")
        assert [found["agent"] for found in freed["granted"]] == [GREEN]
        assert (await green(tool, action="list"))["waiting"] == 1
        assert (await green(tool, action="reserve")).error == "missing_parameter"
        assert (await green(tool, action="list", paths=["x"])).error == "unexpected_parameter"

    talk(project, play, BLUE, GREEN)


def test_the_family_knows_the_same_reservations(project: Project) -> None:
    async def play(blue: Voice, red: Voice) -> None:
        mine = {"project_key": str(project.path), "agent_name": BLUE}
        taken = await blue("file_reservation_paths", **mine, paths="src/**", ttl_seconds=60)
        (one,) = taken["granted"]
        theirs = await red("file_reservation_paths", **mine, paths=["lib"])
        assert theirs.error == "not_authorized"
        red_too = {"project_key": str(project.path), "agent_name": RED}
        refused = await red("file_reservation_paths", **red_too, paths=["*.py"])
        assert refused.error == "reservation_conflict"
        longer = await blue("renew_file_reservations", **mine, extend_seconds=600)
        assert longer["file_reservations"][0]["expires_ts"] > one["expires_ts"]
        held = await red("file_reservations", action="list")
        assert held["reservations"][0]["id"] == one["id"]
        looked = await red(
            "check_file_reservations", project_key=str(project.path), paths=["src/a.py"]
        )
        assert looked["result"][0]["holders"][0]["agent"] == BLUE
        forced = await red(
            "force_release_file_reservation", **red_too, file_reservation_id=one["id"]
        )
        assert (forced.error, forced["holder"]) == ("holder_active", BLUE)
        freed = await blue(
            "release_file_reservations", **mine, file_reservation_ids=[one["id"][:8]]
        )
        assert freed["released"] == 1

    talk(project, play, BLUE, RED)
